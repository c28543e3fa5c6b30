package io.counterpoint.idempotency.consistency.comparison;

import java.util.Set;

/** Thrown if the rows of the two sources do not have the same fields. */
public final class FieldsDifferException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    FieldsDifferException(Object key, Set<String> old, Set<String> replacement) {
        super(
                "The rows of key " + key + " have the fields " + old + " in the old source but " + replacement + " in"
                        + " the new one. Use the same name for the same meaning, or ignore the field.",
                null);
    }
}
