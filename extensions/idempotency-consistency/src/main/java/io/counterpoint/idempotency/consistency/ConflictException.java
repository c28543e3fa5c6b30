package io.counterpoint.idempotency.consistency;

/**
 * Thrown if every run failed with a serialization failure or deadlock. Nothing was committed; the cause is the last
 * failure.
 */
public final class ConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Returns how often the work ran. */
    private final int runs;

    ConflictException(int runs, Throwable cause) {
        super(
                "Rolled back after " + runs + " runs, each of which conflicted with other transactions. Nothing is"
                        + " committed; retry later or allow more retries.",
                cause);
        this.runs = runs;
    }

    /**
     * Returns how often the work was run.
     *
     * @return the number of runs, including the first
     */
    public int runs() {
        return runs;
    }
}
