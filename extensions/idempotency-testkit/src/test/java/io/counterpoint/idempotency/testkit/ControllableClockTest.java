package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ControllableClockTest {

    private final ControllableClock clock = new ControllableClock();

    @Test
    void timeGoesOnByTestsAndSleepersOnly() throws InterruptedException {
        clock.advance(Duration.ofHours(1));
        clock.sleep(Duration.ofHours(2));

        assertThat(clock.now()).isEqualTo(Instant.EPOCH.plus(Duration.ofHours(3)));
        assertThat(clock.sleeps()).containsExactly(Duration.ofHours(2));
    }

    @Test
    void sleeperIsSeenBeforeTheTimeGoesOn() throws InterruptedException {
        List<Instant> seen = new ArrayList<>();
        clock.onSleep(pause -> seen.add(clock.now()));

        clock.sleep(Duration.ofHours(1));

        assertThat(seen).containsExactly(Instant.EPOCH);
    }

    @Test
    void interruptedSleeperIsWokenAtOnce() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> clock.sleep(Duration.ofHours(1))).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(clock.now()).isEqualTo(Instant.EPOCH);
    }
}
