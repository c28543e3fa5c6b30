package io.counterpoint.idempotency.testing;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The Java snippets of a page, compiled: as a file, as members of a class, or as statements, within a context. */
public final class Snippets {

    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\n(.*?)```");

    private final Class<?> context;
    private final String imports;
    private final List<Class<?>> classPath;

    /**
     * Makes a compiler of snippets.
     *
     * @param context what the snippets take for granted: each is compiled in a subclass of it
     * @param imports the imports of every snippet
     * @param used a class of each module that the snippets use
     */
    public Snippets(Class<?> context, String imports, Class<?>... used) {
        this.context = context;
        this.imports = imports;
        this.classPath = Stream.concat(Stream.of(context), Stream.of(used)).toList();
    }

    /** How many snippets there were, and what the compiler said of them. */
    public record Result(int snippets, List<String> errors) {}

    /**
     * Compiles the snippets of a page.
     *
     * @param page the page
     * @param classes an empty folder
     * @return what came of it
     * @throws IOException if the page cannot be read
     */
    public Result compile(Path page, Path classes) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        Matcher snippet = SNIPPET.matcher(Files.readString(page));
        while (snippet.find()) {
            sources.add(source("Snippet" + (sources.size() + 1), snippet.group(1)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            List<String> options = List.of("-proc:none", "-d", classes.toString(), "-cp", classPath());
            compiler.getTask(null, files, found, options, null, sources).call();
        }
        return new Result(
                sources.size(),
                found.getDiagnostics().stream()
                        .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                        .map(diagnostic -> diagnostic.getSource().getName() + ": " + diagnostic.getMessage(null))
                        .toList());
    }

    /** Where the classes are, however the test was started. */
    private String classPath() {
        return classPath.stream()
                .map(used ->
                        used.getProtectionDomain().getCodeSource().getLocation().getPath())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private JavaFileObject source(String name, String snippet) {
        if (snippet.startsWith("import ")) {
            return file("FirstOperation", snippet);
        }
        boolean members = snippet.matches("(?s)(record|interface|final class|\\w+ \\w+\\([^)]*\\) (throws|\\{)).*");
        return file(
                name,
                imports + "abstract class " + name + " extends " + context.getCanonicalName() + " {\n"
                        + (members ? snippet : "void run() throws Exception {\n" + snippet + "}\n") + "}\n");
    }

    private static JavaFileObject file(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
