package io.counterpoint.idempotency.consistency.comparison;

/** Thrown if a source could not be read. */
public final class SourceFailedException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    SourceFailedException(Side side, RuntimeException cause) {
        super(
                "The " + side + " source could not be read: " + cause.getMessage() + " What was confirmed is kept;"
                        + " call again to continue.",
                cause);
    }
}
