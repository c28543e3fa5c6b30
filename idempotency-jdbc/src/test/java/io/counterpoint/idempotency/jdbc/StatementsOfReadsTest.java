package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which part of a read counts as its wait for a connection. */
class StatementsOfReadsTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("scope").operation("operation").value("key");

    @Test
    void waitEndsWhenTheConnectionIsThereAndTheWorkWhenItIsGivenBack() {
        try (TestDatabase database = TestDatabase.h2()) {
            for (int few : new int[] {1, 0}) {
                List<Integer> borrowedWhenTheClockIsRead = new ArrayList<>();
                AdaptiveLimit limit = new AdaptiveLimit(few, () -> {
                    borrowedWhenTheClockIsRead.add(
                            database.pool().getHikariPoolMXBean().getActiveConnections());
                    return 0;
                });
                assertThat(new CoalescedReads(database.store(), limit).read(KEY))
                        .isEmpty();
                assertThat(borrowedWhenTheClockIsRead).containsExactly(0, 1, 0);
            }
        }
    }
}
