package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
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
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every snippet of the guide compiles, as a file, as members of a class, or as statements, within its context. */
class GuideSnippetsTest {

    private static final Path GUIDE = Path.of("../docs/guide.md");
    private static final Pattern SNIPPET = Pattern.compile("(?s)```java\n(.*?)```");
    private static final String IMPORTS = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
            import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
            import java.sql.Connection;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.logging.Level;
            import org.jdbi.v3.core.Handle;
            import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
            """;

    @TempDir
    private Path classes;

    @Test
    void everySnippetCompiles() throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        Matcher snippet = SNIPPET.matcher(Files.readString(GUIDE));
        while (snippet.find()) {
            sources.add(source("Snippet" + (sources.size() + 1), snippet.group(1)));
        }
        assertThat(sources).hasSizeGreaterThan(20);

        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, null, null)) {
            List<String> options = List.of("-proc:none", "-d", classes.toString(), "-cp", classPath());
            compiler.getTask(null, files, found, options, null, sources).call();
        }
        assertThat(found.getDiagnostics())
                .filteredOn(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .extracting(diagnostic -> diagnostic.getSource().getName() + ": " + diagnostic.getMessage(null))
                .isEmpty();
    }

    /** Where the classes are that this test uses, however it was started. */
    private static String classPath() {
        return Stream.of(
                        Idempotency.class,
                        JdbiIdempotencyStore.class,
                        GuideContext.class,
                        Jdbi.class,
                        NullUnmarked.class)
                .map(used ->
                        used.getProtectionDomain().getCodeSource().getLocation().getPath())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static JavaFileObject source(String name, String snippet) {
        if (snippet.startsWith("import ")) {
            return file("FirstOperation", snippet);
        }
        boolean members = snippet.matches("(?s)(record|interface|final class|\\w+ \\w+\\([^)]*\\) (throws|\\{)).*");
        return file(
                name,
                IMPORTS
                        + "abstract class " + name + " extends io.counterpoint.idempotency.jdbc.guide.GuideContext {\n"
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
