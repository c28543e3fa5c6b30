package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Purges on several nodes at once. */
@Tag("galera")
@Timeout(300)
class GaleraPurgeTest extends GaleraFixture {

    @BeforeEach
    void begin() {
        empty();
    }

    private static void plant(int node, String prefix, int records, Duration retention, boolean terminal)
            throws SQLException {
        ClaimOptions options = new ClaimOptions(retention, Duration.ofSeconds(5), true, false);
        Dialect galera = MariaDbDialect.galera();
        try (Connection connection = pools.of(node).getConnection()) {
            for (int i = 0; i < records; i++) {
                Pending record = pending(prefix + i);
                assertThat(galera.insert(connection, record, options).inserted())
                        .isTrue();
                if (terminal) {
                    assertThat(galera.change(
                                    connection,
                                    RecordChange.FAIL,
                                    record.key(),
                                    record.token(),
                                    true,
                                    "declined",
                                    "The card was declined."))
                            .isTrue();
                }
            }
        }
    }

    private static List<String> recordsOn(int node) {
        return Jdbi.create(pools.of(node))
                .withHandle(handle -> handle.createQuery("SET STATEMENT wsrep_sync_wait = 1 FOR"
                                + " SELECT key_value FROM idempotency_record ORDER BY key_value")
                        .mapTo(String.class)
                        .list());
    }

    private static long conflicts() {
        return cluster.nodes().stream().mapToLong(GaleraNode::conflicts).sum();
    }

    /** The purge of one node has locked what it is to delete. Another node deletes it, and a caller claims a key anew. */
    @Test
    void purgeThatMeetsOneOfAnotherNodeIsRepeated() throws SQLException {
        plant(1, "expired", 5, Duration.ofMillis(1), true);
        long conflicts = conflicts();
        AtomicInteger first = new AtomicInteger(-1);
        cluster.nodes()
                .get(1)
                .proxy()
                .onNextStatement(
                        sql -> {
                            if (sql.equalsIgnoreCase("COMMIT") && first.get() < 0) {
                                first.set(store(0).purgeExpired(100));
                                assertThat(operation(0)
                                                .execute(
                                                        Attempt.inScope("user:1")
                                                                .key("expired0")
                                                                .request("request"),
                                                        handle -> "result"))
                                        .isInstanceOf(Outcome.Executed.class);
                            }
                            return false;
                        },
                        Cut.BEFORE_SEND);
        try {
            assertThat(store(1).purgeExpired(100)).isZero();
        } finally {
            cluster.nodes().get(1).proxy().heal();
        }
        assertThat(first.get()).isEqualTo(5);
        assertThat(conflicts()).isGreaterThan(conflicts);
        assertThat(recordsOn(2)).containsExactly("expired0");
    }

    @Test
    void purgesOnAllNodesAtOnceTakeEachExpiredRecordAndNoOther() throws Exception {
        plant(0, "expired", 150, Duration.ofMillis(1), true);
        plant(1, "kept", 10, Duration.ofDays(1), true);
        plant(2, "pending", 10, Duration.ofMillis(1), false);
        CyclicBarrier together = new CyclicBarrier(3);
        List<FutureTask<Integer>> purges = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            JdbiIdempotencyStore store = store(node);
            assertThat(recordsOn(node)).hasSize(170);
            purges.add(new FutureTask<>(() -> {
                int all = 0;
                for (int i = 0; i < 20; i++) {
                    together.await();
                    all += store.purgeExpired(10);
                }
                return all;
            }));
        }
        purges.forEach(purge -> new Thread(purge, "purge").start());
        int purged = 0;
        for (FutureTask<Integer> purge : purges) {
            purged += purge.get(120, TimeUnit.SECONDS);
        }
        assertThat(purged).isEqualTo(150);
        assertThat(recordsOn(0)).hasSize(20).allMatch(key -> key.startsWith("kept") || key.startsWith("pending"));
    }
}
