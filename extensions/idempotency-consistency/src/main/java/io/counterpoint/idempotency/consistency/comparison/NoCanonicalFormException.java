package io.counterpoint.idempotency.consistency.comparison;

/** Thrown if a value cannot be compared because of its type, or could not be converted to its canonical form. */
public final class NoCanonicalFormException extends ComparisonException {
    private static final long serialVersionUID = 1L;

    NoCanonicalFormException(Object key, String field, RuntimeException cause) {
        super(
                "The field " + field + " of key " + key + " has no canonical form: " + cause.getMessage() + " Define"
                        + " one in the comparison's builder, or ignore the field.",
                cause);
    }
}
