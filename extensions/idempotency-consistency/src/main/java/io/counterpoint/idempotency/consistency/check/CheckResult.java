package io.counterpoint.idempotency.consistency.check;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check.
 *
 * @param check the check's name
 * @param severity the severity if there are incorrect rows
 * @param offending the number of incorrect rows
 * @param sample the first incorrect rows: texts by column, in the order of the query
 * @param took how long it took
 * @param error why the check could not run, in which case nothing is known; otherwise empty
 */
public record CheckResult(
        String check,
        Severity severity,
        long offending,
        List<Map<String, @Nullable String>> sample,
        Duration took,
        Optional<String> error) {

    /**
     * Returns whether the check ran and found nothing.
     *
     * @return true if so
     */
    public boolean isClean() {
        return error.isEmpty() && offending == 0;
    }

    /**
     * Returns the exit code for this result.
     *
     * @return 0 if clean, 3 if the check could not run, otherwise that of the severity
     */
    public int exitCode() {
        return error.isPresent() ? 3 : offending == 0 ? 0 : severity.exitCode();
    }
}
