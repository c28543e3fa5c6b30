package io.counterpoint.idempotency.annotation.internal;

import java.math.BigInteger;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The text of values whose text is the same in every try, for a key, a scope or a caller. */
public final class StableText {

    private StableText() {}

    /**
     * Returns the text of a value.
     *
     * @param value any value
     * @return its text; empty for null, and for objects whose text may differ in each try or may not be specific enough
     */
    public static Optional<String> of(@Nullable Object value) {
        if (value instanceof Enum<?> constant) {
            return Optional.of(constant.name());
        }
        boolean stable = value instanceof CharSequence
                || value instanceof UUID
                || value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte
                || value instanceof BigInteger
                || value instanceof Boolean
                || value instanceof Character
                || (value != null && value.getClass().getName().startsWith("java.time."));
        return stable && value != null ? Optional.of(value.toString()) : Optional.empty();
    }
}
