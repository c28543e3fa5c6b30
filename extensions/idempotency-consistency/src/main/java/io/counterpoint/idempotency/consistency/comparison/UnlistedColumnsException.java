package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;

/** Thrown if a source has columns that are neither compared nor explicitly ignored. */
public final class UnlistedColumnsException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    UnlistedColumnsException(String comparison, Side side, Collection<String> columns) {
        super(
                "The " + side + " source of comparison '" + comparison + "' has columns that no field covers: "
                        + columns + ". Nothing was compared. Add them as fields, or name them in ignoring(...).",
                null);
    }
}
