package io.counterpoint.idempotency.consistency;

/** Every run failed with a serialization failure or deadlock. Nothing was committed; the cause is the last failure. */
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
     * Returns how often the work ran.
     *
     * @return the runs, the first included
     */
    public int runs() {
        return runs;
    }
}
