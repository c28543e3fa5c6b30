package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StandstillTest {

    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final long MOST = Heartbeat.beats(LONGEST);

    private final Standstill watch = new Standstill(LONGEST);

    @Test
    void processThatRunsAndDoesNothingIsStuck() {
        assertThat(watch.isReached(5, 7, 0)).isFalse();
        assertThat(watch.isReached(5 + MOST, 7, 0)).isFalse();
        assertThat(watch.isReached(5 + MOST + 1, 7, 0)).isTrue();
    }

    @Test
    void progressBeginsTheWatchAnew() {
        assertThat(watch.isReached(0, 0, 0)).isFalse();
        assertThat(watch.isReached(MOST, 1, 0)).isFalse();
        assertThat(watch.isReached(2 * MOST, 1, 0)).isFalse();
        assertThat(watch.isReached(2 * MOST + 1, 1, 0)).isTrue();
    }

    /** For nine minutes between two beats, or before the first. */
    @Test
    void processWithoutTimeIsNotStuck() {
        for (int beats = 0; beats <= MOST; beats++) {
            long minute = 9L * beats;
            assertThat(watch.isReached(beats, 0, Duration.ofMinutes(minute).toNanos()))
                    .isFalse();
            assertThat(watch.isReached(beats, 0, Duration.ofMinutes(minute + 9).toNanos()))
                    .isFalse();
        }
    }

    @Test
    void processThatDoesNotEvenBeatIsGivenUp() {
        assertThat(watch.isReached(0, 0, 0)).isFalse();
        assertThat(watch.isReached(0, 0, Duration.ofMinutes(10).toNanos())).isFalse();
        assertThat(watch.isReached(0, 0, Duration.ofMinutes(10).toNanos() + 1)).isTrue();
    }
}
