package io.counterpoint.idempotency.consistency.comparison;

/** Thrown if the thread was interrupted; its interrupt status stays set. */
public final class InterruptedRunException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    InterruptedRunException(String comparison) {
        super(
                "The comparison '" + comparison + "' was interrupted. What was confirmed is kept; call it again to"
                        + " continue.",
                null);
    }
}
