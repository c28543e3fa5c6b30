package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.internal.RepeatedTask;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The health of the table, for both generations of Spring Boot.
 *
 * @param records the table
 * @param purge the purge of this node, if it runs one
 * @param maxClockSkew the maximum difference between the clocks, or null for no limit
 */
record TableHealth(
        KeyRecords records,
        Optional<RepeatedTask> purge,
        @Nullable Duration maxClockSkew) {

    /** The result of a check. */
    record Finding(boolean up, Map<String, Object> details) {}

    /** Reads the table. */
    Finding check() {
        records.requireReadable();
        Duration skew = records.clockSkew();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("table", records.table());
        details.put("clockSkew", skew.toString());
        purge.ifPresent(task ->
                details.put("lastPurge", task.age().map(age -> age + " ago").orElse("none yet")));
        boolean up = maxClockSkew == null || skew.abs().compareTo(maxClockSkew) <= 0;
        if (!up) {
            details.put("expectedClockSkew", "at most " + maxClockSkew);
        }
        return new Finding(up, details);
    }
}
