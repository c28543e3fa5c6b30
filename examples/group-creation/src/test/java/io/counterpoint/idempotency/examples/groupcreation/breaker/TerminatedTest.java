package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * On a termination signal, a process reports what it has done so far. By convention its exit code is 128 plus the
 * signal.
 */
@Tag("thorough")
class TerminatedTest {

    private static final int SIGTERM = 15;

    @TempDir
    Path folder;

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                GroupCreation.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(folder.resolve("err").toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .start();
    }

    private String said(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException notYet) {
            return "";
        }
    }

    private void terminateOnceItSays(Process process, String file, String pattern) throws InterruptedException {
        try {
            while (!said(file).matches("(?s).*" + pattern + ".*") && process.isAlive()) {
                // The test's timeout limits this loop; there is no event to wait for.
                boolean unused = process.waitFor(20, TimeUnit.MILLISECONDS);
            }
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void runOfManyLinesPrintsItsReportSoFar() throws Exception {
        StringBuilder requests = new StringBuilder(RequestFile.HEADER).append('\n');
        for (int i = 0; i < 100_000; i++) {
            requests.append("ann,k").append(i).append(",Chess,bob\n");
        }
        Path file = Files.writeString(folder.resolve("requests.csv"), requests);
        Process process = start("--requests", file.toString());
        terminateOnceItSays(process, "out", "sending: [1-9][0-9]* of 100000");
        assertThat(said("out").replaceAll(" +", " "))
                .as(said("err"))
                .contains("requests 100,000", " stopped before", "Verified: ", " 0 surplus, 0 missing");
        assertThat(process.exitValue()).isEqualTo(128 + SIGTERM);
    }
}
