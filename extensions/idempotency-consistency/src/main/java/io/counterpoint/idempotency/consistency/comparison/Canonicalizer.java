package io.counterpoint.idempotency.consistency.comparison;

import org.jspecify.annotations.Nullable;

/** Converts values to a common form, for fields whose two sides represent the same value differently. */
@FunctionalInterface
public interface Canonicalizer {

    /**
     * Returns the form in which the value is compared. It is called for both sides and must return equal forms for
     * equal values.
     *
     * @param value the value; never null
     * @return the form: a string, number, boolean, identifier, {@code java.time} value, bytes or a list of them; or
     *     null if the value represents an absent one
     */
    @Nullable
    Object canonical(Object value);
}
