package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The module asks for nothing that Servlet 6.1 has added: its sources compile against Servlet 6.0. */
@Tag("thorough")
class ServletVersionTest {

    private static final Path SERVLET_6_0 = Path.of("target/servlet-6.0/jakarta.servlet-api-6.0.0.jar");

    @Test
    void sourcesCompileAgainstServlet60(@TempDir Path classes) throws Exception {
        assertThat(SERVLET_6_0).isRegularFile();
        List<String> libraries = Arrays.stream(
                        System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                .filter(it -> !it.contains("jakarta.servlet-api") && !it.contains("tomcat-embed-core"))
                .filter(it -> !it.endsWith("idempotency-servlet/target/classes"))
                .toList();
        String path = SERVLET_6_0 + java.io.File.pathSeparator + String.join(java.io.File.pathSeparator, libraries);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"));
                StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<Path> sources = files.filter(it -> it.toString().endsWith(".java"))
                    .filter(it -> !it.endsWith("module-info.java"))
                    .toList();
            boolean compiled = compiler.getTask(
                            messages,
                            manager,
                            null,
                            List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-classpath", path),
                            null,
                            manager.getJavaFileObjectsFromPaths(sources))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
    }
}
