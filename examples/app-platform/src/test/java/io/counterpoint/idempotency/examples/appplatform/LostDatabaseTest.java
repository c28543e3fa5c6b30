package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.execution.WorkerProcesses;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** While the database is away, clients learn that they may ask again, and no process is replaced for it. */
@Tag("thorough")
class LostDatabaseTest {

    private static final Duration SILENCE = Duration.ofSeconds(1);

    @Test
    void lostDatabaseIsReportedAsAPauseAndReplacesNobody() throws Exception {
        Consumer<String> log = System.out::println;
        try (PostgresServer server = PostgresServer.start();
                TestPlatform test = TestPlatform.idle(server);
                Nodes nodes = Nodes.start(
                        2,
                        0,
                        test.url(),
                        NodeMain.program(
                                test.address, test.platform.outside(), "the-token-of-the-operator", SILENCE, false),
                        log);
                WorkerProcesses workers = WorkerProcesses.start(2, test.database.jdbi(), test.address, SILENCE, log)) {
            assertThat(workers.await(pids -> pids.size() == 2, Duration.ofMinutes(1)))
                    .isTrue();
            List<Long> before = workers.pids();
            server.stopImmediately();
            for (String[] request : new String[][] {
                {"GET", "/apps", ""},
                {"POST", "/publications", "{\"app\":\"" + UUID.randomUUID() + "\"}"},
                {"POST", "/apps", "{\"name\":\"x\"}"}
            }) {
                Raw answer =
                        Raw.send(test.url(), request[0], request[1], request[2], "Workspace: 1", "Idempotency-Key: k");
                assertThat(answer.status()).as(answer.text()).isEqualTo(503);
                assertThat(answer.text()).contains("Retry-After: 1").doesNotContain("Exception");
            }
            // A worker that connects again later than this process is still silent when it is looked at.
            signal("-STOP", before);
            server.restart();
            TestPlatform.await(() -> asked(test) == 200);
            AtomicInteger looks = new AtomicInteger();
            test.database.jdbi().setSqlLogger(new SqlLogger() {
                @Override
                public void logAfterExecution(StatementContext statement) {
                    if (String.valueOf(statement.getRenderedSql()).contains("FROM worker")) {
                        looks.incrementAndGet();
                    }
                }
            });
            TestPlatform.await(() -> looks.get() >= 2);
            signal("-CONT", before);
            // Each has been seen since, so none was killed for its silence in between.
            TestPlatform.await(() -> test.count("worker WHERE seen_at > CURRENT_TIMESTAMP - INTERVAL '2' SECOND") == 2);
            assertThat(workers.pids()).isEqualTo(before);
            assertThat(workers.replaced()).isZero();
            assertThat(nodes.replaced()).isZero();
        }
    }

    private static void signal(String signal, List<Long> processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", signal));
        processes.forEach(process -> command.add(process.toString()));
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    private static int asked(TestPlatform test) {
        try {
            return Raw.send(test.url(), "GET", "/apps", "", "Workspace: 1").status();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
