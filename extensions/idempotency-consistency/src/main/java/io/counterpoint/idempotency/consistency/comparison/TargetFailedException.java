package io.counterpoint.idempotency.consistency.comparison;

/** Thrown if a batch of a repair failed; earlier batches are committed, and another call continues the repair. */
public final class TargetFailedException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    TargetFailedException(Side side, long written, RuntimeException cause) {
        super(
                "The " + side + " source could not be repaired any further after " + written + " changes: "
                        + cause.getMessage() + " Call again to continue.",
                cause);
    }
}
