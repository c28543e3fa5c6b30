package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QuantitiesTest {

    @Test
    void quantitiesAreReachedWhenEachOfThemIs() {
        Map<FaultType, Long> faults = new EnumMap<>(FaultType.class);
        faults.put(FaultType.WORKER_KILLED, 1_000L);
        faults.put(FaultType.SERVER_KILLED, 50L);
        faults.put(FaultType.SERVER_STOPPED, 100L);
        faults.put(FaultType.COMMIT_DROPPED, 2_000L);
        faults.put(FaultType.COMMIT_ANSWER_LOST, 2_000L);
        faults.put(FaultType.STANDBY_PROMOTED, 30L);
        faults.put(FaultType.PRIMARY_FENCED, 20L);
        faults.put(FaultType.PRIMARY_PAUSED, 20L);
        assertThat(Quantities.of(100_000, 1_000_000, faults).reach(Quantities.EVIDENCE))
                .isFalse();
        faults.put(FaultType.COMMIT_HELD, 2_000L);
        assertThat(Quantities.of(100_000, 1_000_000, faults).reach(Quantities.EVIDENCE))
                .isTrue();
        assertThat(Quantities.of(99_999, 1_000_000, faults).reach(Quantities.EVIDENCE))
                .isFalse();
    }
}
