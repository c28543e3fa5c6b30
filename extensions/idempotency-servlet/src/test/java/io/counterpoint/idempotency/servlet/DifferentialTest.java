package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Differential.Permitted;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A filter-managed handler answers with the filter what it answers without, and its replay is the same. A failure shows the
 * seed: {@code -Dseed=17 -Dexchanges=1} holds that exchange again.
 */
@Tag("thorough")
class DifferentialTest {

    private static final long SEED = Long.getLong("seed", 1);
    private static final Path TOMCAT_10_1 = Path.of("target/servlet-6.0/tomcat-embed-core-10.1.jar");

    @ParameterizedTest
    @CsvSource({"JETTY, false", "TOMCAT, false", "TOMCAT, true", "TOMCAT_10_1, false"})
    void someGeneratedAnswersAreWhatTheyAreWithoutTheFilter(String container, boolean http2) throws Exception {
        assertThat(differences(container, Integer.getInteger("exchanges", 50), http2))
                .isEmpty();
    }

    @Tag("thorough")
    @ParameterizedTest
    @CsvSource({"JETTY, false, 5000", "TOMCAT, false, 5000", "TOMCAT, true, 2000", "TOMCAT_10_1, false, 5000"})
    void thousandsOfGeneratedAnswersAreWhatTheyAreWithoutTheFilter(String container, boolean http2, int count)
            throws Exception {
        assertThat(differences(container, count, http2)).isEmpty();
    }

    private static List<?> differences(String container, int count, boolean http2) throws Exception {
        return container.equals("TOMCAT_10_1") ? onTomcat101(count) : Differential.run(container, SEED, count, http2);
    }

    /** All classes once more, beside the other version of Tomcat. */
    private static List<?> onTomcat101(int count) throws Exception {
        List<URL> urls = new ArrayList<>(List.of(TOMCAT_10_1.toUri().toURL()));
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!path.contains("tomcat-embed-core") && !path.contains("jakarta.servlet-api")) {
                urls.add(Path.of(path).toUri().toURL());
            }
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader own = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(own);
            Method run = Class.forName(Differential.class.getName(), true, own)
                    .getDeclaredMethod("run", String.class, long.class, int.class, boolean.class);
            run.setAccessible(true);
            return (List<?>) run.invoke(null, "TOMCAT", SEED, count, false);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void thePageHasThePermittedDifferences() throws Exception {
        String rows = Arrays.stream(Permitted.values()).map(Permitted::row).collect(Collectors.joining("\n"));

        assertThat(List.of(Permitted.values())).hasSizeLessThanOrEqualTo(8);
        assertThat(Files.readString(Path.of("../../docs/http.md")))
                .contains("| container | difference | reason |\n|---|---|---|\n" + rows + "\n\n");
    }
}
