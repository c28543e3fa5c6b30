package io.counterpoint.idempotency.consistency.comparison;

/**
 * Thrown if another run has started or continued this comparison in the meantime; this one stops and has written
 * nothing since then.
 */
public final class SupersededException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    SupersededException(String comparison) {
        super(
                "Another run of the comparison '" + comparison + "' has started or continued it, so this run ended."
                        + " Run one at a time, or give them different names.",
                null);
    }
}
