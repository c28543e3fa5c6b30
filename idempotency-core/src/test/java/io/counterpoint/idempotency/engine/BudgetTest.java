package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.counterpoint.idempotency.IdempotencyClock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class BudgetTest {

    private Instant now = Instant.EPOCH;

    private final Waiting waiting = new Waiting(
            new IdempotencyClock() {
                @Override
                public Instant now() {
                    return now;
                }

                @Override
                public void sleep(Duration pause) {
                    now = now.plus(pause);
                }
            },
            Duration.ZERO,
            new Interrupts());

    @Test
    void longerSettleWithinHasMoreTries() {
        assertThat(tries(Budget.withoutDoubt(waiting))).isEqualTo(5);
        assertThat(tries(Budget.toSettle(waiting, Duration.ofMillis(499)))).isEqualTo(5);
        assertThat(tries(Budget.toSettle(waiting, Duration.ofMillis(500)))).isEqualTo(6);
        assertThat(tries(Budget.toSettle(waiting, Duration.ofSeconds(5)))).isEqualTo(15);
        assertThat(tries(Budget.toSettle(waiting, Duration.ofHours(1)))).isEqualTo(7_205);
    }

    @Test
    void nothingIsLeftWhenTheTimeHasPassed() {
        Budget budget = Budget.toSettle(waiting, Duration.ofSeconds(5));
        assertThat(budget.isLeft()).isTrue();
        now = now.plusSeconds(5);
        assertThat(budget.isLeft()).isFalse();
        budget.restartTime();
        assertThat(budget.isLeft()).isTrue();
    }

    /** Every external call makes one, though it seldom needs it. */
    @Test
    void budgetCostsLittleToMake() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Budget unused = Budget.toSettle(waiting, Duration.ofSeconds(5));
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            unused = Budget.toSettle(waiting, Duration.ofSeconds(5));
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100 * 200L);
        assertThat(unused.isLeft()).isTrue();
    }

    private static int tries(Budget budget) {
        int tries = 0;
        while (budget.isLeft()) {
            tries++;
        }
        return tries;
    }
}
