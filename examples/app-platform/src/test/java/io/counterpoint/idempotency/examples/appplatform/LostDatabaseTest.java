package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.execution.WorkerMain;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** While the database is unavailable, responses tell clients to retry, and no process is replaced. */
@Tag("thorough")
class LostDatabaseTest {

    private static final Duration SILENCE = Duration.ofSeconds(1);

    @Test
    void lostDatabaseIsReportedAsAPauseAndReplacesNobody() throws Exception {
        Consumer<String> log = System.out::println;
        try (PostgresServer server = PostgresServer.start();
                TestPlatform test = TestPlatform.idle(server);
                ChildProcesses workers = WorkerMain.start(2, test.address, SILENCE, log)) {
            assertThat(workers.await(working -> working.size() == 2, Duration.ofMinutes(1)))
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
            server.restart();
            TestPlatform.await(() -> asked(test) == 200);
            TestPlatform.await(() -> test.count("worker WHERE seen_at > CURRENT_TIMESTAMP - INTERVAL '2' SECOND") == 2);
            assertThat(workers.pids()).isEqualTo(before);
            assertThat(workers.replaced()).isZero();
        }
    }

    private static int asked(TestPlatform test) {
        try {
            return Raw.send(test.url(), "GET", "/apps", "", "Workspace: 1").status();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
