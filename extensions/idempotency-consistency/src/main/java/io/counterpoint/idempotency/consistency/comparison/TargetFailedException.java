package io.counterpoint.idempotency.consistency.comparison;

/** The changes of a repair could not be made; those of earlier batches are, and calling again goes on. */
public final class TargetFailedException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    TargetFailedException(Side side, long written, RuntimeException cause) {
        super(
                "The " + side + " source could not be repaired any further after " + written + " changes: "
                        + cause.getMessage() + " Call again to continue.",
                cause);
    }
}
