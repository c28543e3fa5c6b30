package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How many callers may read for themselves, by what statements waited for. */
class AdaptiveLimitTest {

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 100);
    private final AdaptiveLimit limit = new AdaptiveLimit(3, clock::get);

    @Test
    void beginsAtItsUpperEnd() {
        assertThat(limit.get()).isEqualTo(3);
        statement(0, 10);
        statement(10, 10);
        assertThat(limit.get()).isEqualTo(3);
    }

    @Test
    void statementsThatWaitLongerForTheirConnectionThanForTheirAnswerLowerItToOne() {
        statement(11, 10);
        assertThat(limit.get()).isEqualTo(2);
        for (int i = 0; i < 3; i++) {
            statement(11, 10);
        }
        assertThat(limit.get()).isOne();
    }

    @Test
    void statementsThatDoNotWaitRaiseItToItsUpperEnd() {
        statement(11, 10);
        statement(11, 10);
        statement(10, 10);
        assertThat(limit.get()).isEqualTo(2);
        statement(10, 10);
        statement(10, 10);
        assertThat(limit.get()).isEqualTo(3);
    }

    @Test
    void oneSlowStatementAmongOthersChangesNothing() {
        for (int i = 0; i < 10; i++) {
            statement(1_000_000, 1);
            statement(1, 10);
        }
        assertThat(limit.get()).isEqualTo(3);
    }

    @Test
    void statementThatNeverGotAConnectionHasWaited() {
        try (AdaptiveLimit.Statement statement = limit.begin()) {
            assertThat(statement).isNotNull();
        }
        assertThat(limit.get()).isEqualTo(2);
    }

    @Test
    void limitOfNoneStaysNone() {
        AdaptiveLimit none = new AdaptiveLimit(0, clock::get);
        try (AdaptiveLimit.Statement statement = none.begin()) {
            statement.connected();
        }
        try (AdaptiveLimit.Statement statement = none.begin()) {
            assertThat(statement).isNotNull();
        }
        assertThat(none.get()).isZero();
    }

    private void statement(long wait, long work) {
        try (AdaptiveLimit.Statement statement = limit.begin()) {
            clock.addAndGet(wait);
            statement.connected();
            clock.addAndGet(work);
        }
    }
}
