package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.examples.appplatform.http.Client;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The program: what it prints, how it exits, and how it handles mistakes. */
@Tag("thorough")
class AppPlatformTest {

    private record Run(int exitCode, String out, String err) {
        static Run of(String... arguments) {
            return of(new CountDownLatch(1), new ByteArrayOutputStream(), arguments);
        }

        static Run of(CountDownLatch stop, ByteArrayOutputStream out, String... arguments) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int exitCode = AppPlatform.run(
                    arguments, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8), stop);
            return new Run(exitCode, out.toString(UTF_8), err.toString(UTF_8));
        }
    }

    @Test
    void tourKeepsEveryPromiseAndTellsItInSixtyLines() throws IOException {
        Run run = Run.of("tour", "--jdbc-url", PostgresServer.shared().createDatabase());
        System.out.println(run.out());
        assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(60).hasSizeGreaterThan(20);
        assertThat(run.out().lines()).as("lines that fit a terminal").allMatch(line -> line.length() <= 160);
        Path details = Path.of(URI.create(run.out().replaceFirst("(?s).*\nDetails: (\\S+)\n", "$1")));
        assertThat(details).content().contains("== What the checks find", "== Promises");
        JsonNode report =
                new ObjectMapper().readTree(details.resolveSibling("tour.json").toFile());
        assertThat(report.path("promises").findValuesAsText("promise")).hasSizeGreaterThan(30);
        assertThat(report.path("promises"))
                .as(run.err())
                .allMatch(promise -> promise.path("expected").equals(promise.path("found")));
        // Bounds count only on an idle machine; this one may be slow.
        boolean inTime = report.path("boundsMissed").isEmpty()
                || !report.path("boundsCount").asBoolean();
        assertThat(report.path("checksBefore").path("exitCode").asInt()).isEqualTo(2);
        assertThat(report.path("checksAfter").path("exitCode").asInt()).isZero();
        assertThat(report.path("exitCode").asInt()).isEqualTo(inTime ? 0 : 2);
        assertThat(run.exitCode()).isEqualTo(inTime ? 0 : 2);
        System.out.println("the tour on PostgreSQL: " + report.path("lags"));
    }

    @Test
    void tourWantsAnEmptyDatabase() {
        String url = PostgresServer.shared().createDatabase();
        assertThat(Run.of("check", "--jdbc-url", url).exitCode()).isEqualTo(2);
        Run run = Run.of("--jdbc-url", url);
        assertThat(run.err()).contains("The tour needs an empty database");
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void checkEndsBySeverityAndWithRepairClean() throws IOException {
        Run found = Run.of("check");
        assertThat(found.exitCode()).isEqualTo(2);
        assertThat(found.out()).contains("orphan-apps", "found");
        Run repaired = Run.of("check", "--repair", "--json");
        assertThat(new ObjectMapper()
                        .readTree(repaired.out())
                        .path("checksAfter")
                        .path("exitCode")
                        .asInt())
                .isZero();
        assertThat(repaired.exitCode()).isZero();
    }

    @Test
    void checkListensToNobodyAndStartsNoProcess() {
        AtomicReference<List<String>> seen = new AtomicReference<>();
        List<ProcessHandle> before = programs();
        PrintStream err = new PrintStream(new ByteArrayOutputStream(), true, UTF_8) {
            @Override
            public void println(String line) {
                if (line.contains("filling")) {
                    // Processes of earlier tests may exit meanwhile.
                    assertThat(before).containsAll(programs());
                    seen.set(Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .toList());
                }
            }
        };
        int unused = AppPlatform.run(
                new String[] {"check"},
                new PrintStream(new ByteArrayOutputStream(), true, UTF_8),
                err,
                new CountDownLatch(1));
        assertThat(seen.get()).isNotEmpty().noneMatch(name -> name.contains("HTTP-Dispatcher"));
    }

    /** Only Java programs count, because Surefire runs "ps" from time to time. */
    private static List<ProcessHandle> programs() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().command().orElse("").endsWith("/java"))
                .toList();
    }

    @Test
    void serviceAnswersUntilItIsStoppedAndEndsInGoodOrder() throws Exception {
        CountDownLatch stop = new CountDownLatch(1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CompletableFuture<Run> run = CompletableFuture.supplyAsync(
                () -> Run.of(stop, out, "serve", "--port", "0", "--operator-token", "the-token-of-the-operator"));
        TestPlatform.await(() -> out.toString(UTF_8).contains("Listening on ") || run.isDone());
        String url = out.toString(UTF_8).replaceFirst("(?s).*Listening on ([^,]+),.*", "$1");
        assertThat(out.toString(UTF_8))
                .as("without an address the page is no use")
                .containsPattern("Open the page: http://127\\.0\\.0\\.1:\\d+/\\?token=[\\w-]{32}\\R");
        try (Client client = new Client()) {
            assertThat(client.get(url + "/checks", 1, TestPlatform.OPERATOR_HEADER)
                            .path("exitCode")
                            .asInt())
                    .isEqualTo(2);
            stop.countDown();
        }
        assertThat(run.join().exitCode()).as(run.join().err()).isZero();
    }

    /** Starting and filling a database takes long, and would be wasted. */
    @ParameterizedTest
    @ValueSource(strings = {"--port", "--page-port"})
    void portInUseIsReportedBeforeAnythingIsStarted(String option) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            Run run = option.equals("--port")
                    ? Run.of("serve", option, port)
                    : Run.of("serve", "--port", "0", option, port);
            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.err().lines())
                    .containsExactly("app-platform: Cannot listen on port " + taken.getLocalPort()
                            + ": Address already in use. See --help.");
        }
    }

    @Test
    void unknownPageAndMissingWorkspaceAreProblems() throws Exception {
        try (TestPlatform test = TestPlatform.empty()) {
            HttpClient http = HttpClient.newHttpClient();
            var usage = http.send(
                    HttpRequest.newBuilder(URI.create(test.url() + "/usage")).build(), BodyHandlers.ofString());
            assertThat(usage.statusCode()).isEqualTo(401);
            var page = http.send(
                    HttpRequest.newBuilder(URI.create(test.url() + "/nothing")).build(), BodyHandlers.ofString());
            assertThat(page.statusCode()).isEqualTo(404);
            assertThat(page.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));
        }
    }

    @Test
    void tablesOfTheDocumentationAreThoseOfTheProgram() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        for (String table : List.of(
                Declared.operations(),
                Declared.transactions(),
                Declared.reads(),
                Declared.bounds(),
                Declared.checks())) {
            assertThat(readme).contains(table);
        }
        assertThat(readme)
                .contains(
                        AppStatus.graph().toMermaid().strip(),
                        DatabaseStatus.graph().toMermaid().strip(),
                        PathMode.graph().toMermaid().strip());
        assertThat(Run.of("policies").out()).contains(Declared.operations(), Declared.checks());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --frobnicate                               | Unknown option: '--frobnicate'.
                    voyage                                     | expected tour, serve, check or policies, found 'voyage'
                    --port=1                                   | --port goes with serve only.
                    serve --port=70000                         | --port must be between 0 and 65535, found 70000.
                    --page-port=1                              | --page-port goes with serve only.
                    serve --page-port=-1                       | --page-port must be between 0 and 65535, found -1.
                    serve --json                               | --json goes with tour and check only.
                    tour --repair                              | --repair goes with check and serve only.
                    serve --operator-token=short               | An operator's token must be at least 16 characters long.
                    --user=me                                  | --user and --password go with --jdbc-url only.
                    --jdbc-url=jdbc:mysql://localhost/x        | A URL must begin with jdbc:postgresql:,
                    --jdbc-url=jdbc:postgresql://127.0.0.1:1/x | Cannot connect to jdbc:postgresql://127.0.0.1:1/x:
                    """)
    void mistakeOfTheUserIsOneLineAndExitCode3(String arguments, String message) {
        Run run = Run.of(arguments.split(" "));
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("app-platform: ")
                .contains(message)
                .endsWith(" See --help.");
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void helpListsEveryOption() {
        Run run = Run.of("--help");
        assertThat(run.out()).contains("tour", "serve", "check", "policies", "--jdbc-url", "--json", "--port");
        assertThat(run.exitCode()).isZero();
    }
}
