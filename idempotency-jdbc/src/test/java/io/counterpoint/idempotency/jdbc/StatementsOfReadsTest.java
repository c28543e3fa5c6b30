package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a read says that it has got its connection. */
class StatementsOfReadsTest {

    private static final IdempotencyKey KEY = new IdempotencyKey("scope", "operation", "key");

    @Test
    void connectionIsThereWhenAReadSaysSoAndNotBefore() {
        try (TestDatabase database = TestDatabase.h2()) {
            List<Integer> borrowed = new ArrayList<>();
            Runnable connected =
                    () -> borrowed.add(database.pool().getHikariPoolMXBean().getActiveConnections());
            CoalescedReads.Reads reads = database.plain(database.pool()).build().statements();
            assertThat(reads.alone(KEY, connected)).isEmpty();
            assertThat(reads.all(Set.of(KEY), connected)).isEmpty();
            assertThat(borrowed).containsExactly(1, 1);
        }
    }
}
