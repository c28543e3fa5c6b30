package io.counterpoint.idempotency.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final Duration MILLISECOND = Duration.ofMillis(1);

    private static List<Duration> pauses(Backoff backoff, int tries) {
        return IntStream.range(0, 500).mapToObj(sample -> backoff.pause(tries)).toList();
    }

    @Test
    void pauseDoublesWithItsUpperHalfRandom() {
        Backoff backoff = new Backoff(MILLISECOND, Duration.ofSeconds(1));
        for (int tries = 1; tries <= 8; tries++) {
            Duration due = MILLISECOND.multipliedBy(1L << (tries - 1));
            assertThat(pauses(backoff, tries))
                    .allMatch(pause -> pause.compareTo(due.dividedBy(2)) >= 0 && pause.compareTo(due) <= 0)
                    .satisfies(pauses -> assertThat(Set.copyOf(pauses)).hasSizeGreaterThan(100));
        }
    }

    @Test
    void pauseIsNeverOverTheLongest() {
        Backoff backoff = new Backoff(MILLISECOND, Duration.ofNanos(1_500_000));
        for (int tries : new int[] {2, 3, 60, 1_000}) {
            assertThat(pauses(backoff, tries))
                    .allMatch(pause -> pause.compareTo(backoff.longest()) <= 0)
                    .allMatch(pause -> pause.compareTo(backoff.longest().dividedBy(2)) >= 0);
        }
    }

    @Test
    void shortestBackoffPausesANanosecondAtMost() {
        Duration nanosecond = Duration.ofNanos(1);
        assertThat(pauses(new Backoff(nanosecond, nanosecond), 1)).containsOnly(Duration.ZERO, nanosecond);
    }

    @Test
    void pausesThatCannotGrowAreRefused() {
        refused(Duration.ZERO, MILLISECOND);
        refused(MILLISECOND.negated(), MILLISECOND);
        refused(MILLISECOND, MILLISECOND.minusNanos(1));
    }

    private static void refused(Duration first, Duration longest) {
        assertThatThrownBy(() -> assertThat(new Backoff(first, longest)).isNull())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found " + Durations.text(first) + " and " + Durations.text(longest));
    }
}
