package io.counterpoint.idempotency.consistency.comparison;

import java.time.Duration;

/**
 * The progress of a comparison or a repair.
 *
 * @param comparison the name of the comparison
 * @param phase the current phase: {@code compare}, {@code repair} or {@code verify}
 * @param oldRows rows read from the old source
 * @param newRows rows read from the new source
 * @param suspects differences that are waiting to be read again
 * @param findings confirmed differences
 * @param elapsed the time since this call began
 */
public record ComparisonProgress(
        String comparison, String phase, long oldRows, long newRows, int suspects, long findings, Duration elapsed) {

    /** Returns the progress as one line of text. */
    @Override
    public String toString() {
        return String.format(
                java.util.Locale.ROOT,
                "%s: %s, %,d old and %,d new rows, %,d suspects, %,d findings, %d s",
                comparison,
                phase,
                oldRows,
                newRows,
                suspects,
                findings,
                elapsed.toSeconds());
    }
}
