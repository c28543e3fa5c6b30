package io.counterpoint.idempotency.programs.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that a build runs in its own JVM can start processes of its classes. */
class JavaProgramTest {

    @Test
    void classPathIsThatOfTheClass(@TempDir Path folder) throws Exception {
        Path classes = Path.of(JavaProgramTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path withSpace = folder.resolve("with space");
        URL[] places = {classes.toUri().toURL(), withSpace.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
            Class<?> main = loader.loadClass(ChildProcessesTest.class.getName());

            assertThat(commandOf(main)).containsSequence("-cp", classes + File.pathSeparator + withSpace);
            assertThat(commandOf(ChildProcessesTest.class))
                    .containsSequence("-cp", System.getProperty("java.class.path"));
        }
    }

    private static List<String> commandOf(Class<?> main) {
        return new JavaProgram("child", main, "ready", List.of(), List.of(), Map.of())
                .builder()
                .command();
    }
}
