package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After a signal to end, a process prints its report up to there. By convention it exits with 128 and the signal. */
class TerminatedTest {

    private static final int SIGTERM = 15;

    @TempDir
    Path folder;

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                AppPlatform.class.getName()));
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
                // Bounded by the time that a test has; there is nothing to wait for but the file.
                boolean unused = process.waitFor(20, TimeUnit.MILLISECONDS);
            }
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void tourPrintsItsReportSoFar() throws Exception {
        Process process =
                start("tour", "--json", "--jdbc-url", PostgresServer.shared().createDatabase());
        terminateOnceItSays(process, "err", "starting a second node");
        JsonNode report = new ObjectMapper().readTree(said("out"));
        assertThat(report.path("requests")).as(said("err")).isNotEmpty();
        assertThat(report.path("promises"))
                .isNotEmpty()
                .allMatch(promise -> promise.path("expected").equals(promise.path("found")));
        assertThat(report.path("stopped").asBoolean()).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + SIGTERM);
    }
}
