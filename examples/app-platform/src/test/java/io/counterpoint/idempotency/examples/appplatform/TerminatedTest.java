package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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

    private String database;
    private Process process;
    private List<ProcessHandle> children = List.of();

    @BeforeEach
    void createDatabase() {
        database = PostgresServer.shared().createDatabase();
    }

    @AfterEach
    void end() throws InterruptedException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        children.forEach(ProcessHandle::destroyForcibly);
        int unused = process.destroyForcibly().waitFor();
        PostgresServer.shared().giveBack(database);
    }

    /** Starts the program. Its errors go to a file; its output goes to a file too, or is read from the process. */
    private void start(ProcessBuilder.Redirect err, ProcessBuilder.Redirect out, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                AppPlatform.class.getName()));
        command.addAll(List.of(arguments));
        start(err, out, command);
    }

    private void start(ProcessBuilder.Redirect err, ProcessBuilder.Redirect out, List<String> command)
            throws IOException {
        process = new ProcessBuilder(command)
                .redirectError(err)
                .redirectOutput(out)
                .start();
    }

    private ProcessBuilder.Redirect file(String name) {
        return ProcessBuilder.Redirect.to(folder.resolve(name).toFile());
    }

    private static String readUntil(BufferedReader lines, String text) throws IOException {
        StringBuilder before = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains(text)) {
                return line;
            }
            before.append(line).append('\n');
        }
        throw new AssertionError("It never said '" + text + "', but:\n" + before);
    }

    private void terminate() throws InterruptedException {
        // Not the method of Process, because it closes the streams.
        assertThat(process.toHandle().destroy()).isTrue();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + SIGTERM);
    }

    @Test
    void tourPrintsItsReportSoFar() throws Exception {
        start(ProcessBuilder.Redirect.PIPE, file("out"), "tour", "--json", "--jdbc-url", database);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8))) {
            String unused = readUntil(said, "starting a second node");
            terminate();
        }
        JsonNode report = new ObjectMapper().readTree(Files.readString(folder.resolve("out")));
        assertThat(report.path("requests")).isNotEmpty();
        assertThat(report.path("promises"))
                .isNotEmpty()
                .allMatch(promise -> promise.path("expected").equals(promise.path("found")));
        assertThat(report.path("stopped").asBoolean()).isTrue();
    }

    @Test
    void serviceWithItsOwnPostgreSqlEndsAllItsProcessesAndReports() throws Exception {
        start(file("err"), ProcessBuilder.Redirect.PIPE, "serve", "--port", "0");
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String page = readUntil(said, "Open the page: ").replace("Open the page: ", "");
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(URI.create(page)).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("<title>");
            List<ProcessHandle> children = process.descendants().toList();
            assertThat(children)
                    .as("a payment provider, two workers, PostgreSQL")
                    .hasSizeGreaterThan(3);
            terminate();
            assertThat(children).as("left behind").noneMatch(ProcessHandle::isAlive);
            assertThat(readUntil(said, "Stopped.")).isEqualTo("Stopped. Workers replaced: 0.");
        }
        assertThat(Files.readString(folder.resolve("err"))).doesNotContain("cleanly", "Gave up");
    }

    /** The build's own command starts the service. The build is terminated, and does not signal its children. */
    @Test
    void serviceThatABuildHasStartedEndsWithTheBuildAndEndsAllItsProcesses() throws Exception {
        String line = Files.readString(Path.of("pom.xml"))
                .replaceFirst("(?s).*<commandlineArgs>(.*)</commandlineArgs>.*", "$1")
                .replace("%classpath", System.getProperty("java.class.path"))
                .replace("${main.class}", AppPlatform.class.getName())
                .replace("${exec.args}", "serve --port 0");
        start(
                file("err"),
                file("out"),
                List.of("sh", "-c", Path.of(System.getProperty("java.home"), "bin", "java") + " " + line + "; true"));
        TestPlatform.await(() -> printed().contains("Open the page: "));
        children = process.descendants().toList();
        assertThat(children)
                .as("the service, a payment provider, two workers, PostgreSQL")
                .hasSizeGreaterThan(4);
        assertThat(process.toHandle().destroy()).isTrue();
        TestPlatform.await(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        assertThat(printed()).contains("Stopped. Workers replaced: 0.");
    }

    private String printed() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
