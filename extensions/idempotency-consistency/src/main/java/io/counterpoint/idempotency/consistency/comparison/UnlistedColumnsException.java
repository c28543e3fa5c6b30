package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;

/** A source has columns that would not be compared, and nobody said that they need not be. */
public final class UnlistedColumnsException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    UnlistedColumnsException(String comparison, Side side, Collection<String> columns) {
        super(
                "The " + side + " source of comparison '" + comparison + "' has columns that are in no field: "
                        + columns
                        + ". Add them to the fields, or name them in ignoring(...). Nothing was compared.",
                null);
    }
}
