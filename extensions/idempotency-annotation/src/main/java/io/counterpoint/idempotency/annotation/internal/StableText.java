package io.counterpoint.idempotency.annotation.internal;

import java.math.BigInteger;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Text of values that have the same text in every try, which names a key, a scope or a caller. */
public final class StableText {

    private StableText() {}

    /**
     * The text of a value.
     *
     * @param value any value
     * @return its text; empty for null, and for objects whose text might be new for each try or tell too little
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
