package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the Java snippets on a page: as a file, as members of a class, or as statements, in a context. */
public final class Snippets {

    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\n(.*?)```");

    /** The first top-level type, which gives the file its name. */
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:public |final )*(?:class|interface|record) (\\w+)");

    private final Class<?> context;
    private final String imports;

    /**
     * Creates a compiler of snippets that can use everything on the class path.
     *
     * @param context what the snippets rely on: each is compiled in a subclass of this class
     * @param imports the imports of every snippet
     */
    public Snippets(Class<?> context, String imports) {
        this.context = context;
        this.imports = imports;
    }

    /**
     * Compiles the snippets of a page.
     *
     * @param atLeast the minimum number of snippets
     * @throws IOException if the page cannot be read
     * @throws AssertionError if there are fewer snippets, or if one does not compile
     */
    public void requireCompiling(Path page, int atLeast) throws IOException {
        compile(page, Files.readString(page), atLeast);
    }

    /**
     * Compiles the snippets of a section, up to the next section of the same level.
     *
     * @param heading the section's second-level heading
     * @param atLeast the minimum number of snippets
     * @throws IOException if the page cannot be read
     * @throws AssertionError if there are fewer snippets, or if one does not compile
     */
    public void requireCompiling(Path page, String heading, int atLeast) throws IOException {
        String section = Files.readString(page).split("\n## " + Pattern.quote(heading) + "\n", 2)[1];
        compile(page, section.split("\n## ", 2)[0], atLeast);
    }

    private void compile(Path page, String text, int atLeast) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        Matcher snippet = SNIPPET.matcher(text);
        while (snippet.find()) {
            sources.add(source("Snippet" + (sources.size() + 1), snippet.group(1)));
        }
        List<String> errors = errors(sources);
        if (sources.size() < atLeast || !errors.isEmpty()) {
            throw new AssertionError(page + " has " + sources.size() + " snippets, and " + atLeast
                    + " or more are expected; errors: " + String.join("\n", errors));
        }
    }

    private static List<String> errors(List<JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            List<String> options = List.of(
                    "-proc:none", "--should-stop=ifNoError=FLOW", "-cp", System.getProperty("java.class.path", ""));
            compiler.getTask(null, files, found, options, null, sources).call();
        }
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> diagnostic.getSource().getName() + ": " + diagnostic.getMessage(null))
                .toList();
    }

    private JavaFileObject source(String name, String snippet) {
        Matcher type = TYPE.matcher(snippet);
        if (snippet.matches("(?s)(import|package) .*") && type.find()) {
            return file(type.group(1), snippet);
        }
        int body = snippet.startsWith("import ") ? snippet.indexOf("\n\n") + 2 : 0;
        return source(name, imports + snippet.substring(0, body), snippet.substring(body));
    }

    private JavaFileObject source(String name, String imports, String snippet) {
        boolean members =
                snippet.matches("(?s)(@\\w+\\n|record|interface|final class|\\w+ \\w+\\([^)]*\\) (throws|\\{)).*");
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
