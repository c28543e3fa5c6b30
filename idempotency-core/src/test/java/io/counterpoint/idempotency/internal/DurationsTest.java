package io.counterpoint.idempotency.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 s", "PT5S, 5 s", "PT0.03S, 30 ms", "PT0.0015S, 1.5 ms", "PT0.000000001S, 0.000001 ms",
        "PT1.234S, 1.234 s", "PT59.999999999S, 59.999999999 s", "PT1M, 1 min", "PT1M30.5S, 1 min 30.5 s", "PT1H, 1 h",
        "PT23H59M, 23 h 59 min", "P1D, 1 day", "P7D, 7 days", "P1DT2H0.001S, 1 day 2 h 0.001 s", "P3650D, 3650 days",
        "PT-1M, -1 min", "PT10S, 10 s", "PT20M, 20 min"
    })
    void durationIsWrittenInItsUnits(Duration duration, String text) {
        assertThat(Durations.text(duration)).isEqualTo(text);
    }
}
