package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process may be stopped between any two questions for the time. */
class WaitingTest {

    private Instant now = Instant.EPOCH;
    private final List<Duration> slept = new ArrayList<>();

    private final Waiting waiting = new Waiting(
            new IdempotencyClock() {
                @Override
                public Instant now() {
                    now = now.plusSeconds(1);
                    return now;
                }

                @Override
                public void sleep(Duration pause) {
                    slept.add(pause);
                }
            },
            Duration.ofMillis(1_500),
            new Interrupts());

    @Test
    void waitThatEndsBetweenTwoQuestionsIsNeverNegative() {
        assertThat(waiting.waitedForLeader()).isTrue();
        assertThat(slept).containsExactly(Duration.ZERO);
        assertThat(waiting.waitedForLeader()).isFalse();
        assertThat(waiting.leftForClaim()).isZero();
    }
}
