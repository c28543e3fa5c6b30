package io.counterpoint.idempotency.examples.appplatform.execution;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogBatchesTest {

    private final String url = PostgresServer.shared().createDatabase();
    private final Jdbi jdbi = Jdbi.create(url);
    private final List<Integer> written = new ArrayList<>();
    private final UUID execution = UUID.randomUUID();

    @AfterEach
    void close() {
        PostgresServer.shared().giveBack(url);
    }

    @Test
    void linesThatWaitAreWrittenTogetherAndARepeatedLineOnce() throws Exception {
        jdbi.useHandle(handle -> handle.execute("""
                CREATE TABLE execution_log (
                    id uuid PRIMARY KEY, execution_id uuid NOT NULL, line integer NOT NULL, text varchar(200) NOT NULL)
                """));
        try (LogBatches logs = new LogBatches(
                Transactions.on(JdbiIdempotencyStore.on(jdbi)),
                (lines, waited) -> {
                    synchronized (written) {
                        written.add(lines);
                    }
                },
                line -> {
                    throw new AssertionError(line);
                })) {
            List<CompletableFuture<Void>> lines = new ArrayList<>();
            for (int i = 0; i < 1_200; i++) {
                lines.add(logs.say(execution, i, "line " + i));
            }
            lines.add(logs.say(execution, 7, "line 7, said again"));
            assertThat(lines).noneMatch(CompletableFuture::isDone);
            logs.start();
            CompletableFuture.allOf(lines.toArray(CompletableFuture<?>[]::new)).get(60, TimeUnit.SECONDS);
        }
        assertThat(written).containsExactly(500, 500, 201);
        assertThat(count("execution_log")).isEqualTo(1_200);
        assertThat(count("(SELECT DISTINCT CAST(xmin AS text) FROM execution_log) transactions"))
                .as("transactions that wrote them")
                .isEqualTo(3);
    }

    private long count(String from) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM " + from)
                .mapTo(Long.class)
                .one());
    }
}
