package io.counterpoint.idempotency.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyClock;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ObservedClockTest {

    @Test
    void observedClockTellsBothTimesOfItsClock() {
        IdempotencyClock clock = new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.ofEpochSecond(1);
            }

            @Override
            public Instant wallTime() {
                return Instant.ofEpochSecond(2);
            }

            @Override
            public void sleep(Duration pause) {}
        };

        IdempotencyClock observed =
                ObservedCalls.in(ObservationRegistry.create()).clock(clock);

        assertThat(observed.now()).isEqualTo(clock.now());
        assertThat(observed.wallTime()).isEqualTo(clock.wallTime());
    }
}
