package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.internal.Symptom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Thrown at startup if the application cannot keep the promises of this library. */
public final class IdempotencyStartException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String remedy;

    IdempotencyStartException(String found, String remedy) {
        this(found, remedy, null);
    }

    IdempotencyStartException(String found, String remedy, @Nullable Throwable cause) {
        super(found + " " + Symptom.START_REFUSED.of(remedy), cause);
        this.remedy = Symptom.START_REFUSED.of(remedy);
    }

    /** Applies a property, whose value the code may refuse. */
    static <T> T apply(String property, Object value, Supplier<T> code) {
        try {
            return code.get();
        } catch (IllegalArgumentException refused) {
            throw new IdempotencyStartException(
                    "idempotency." + property + "=" + value + " is not valid: " + refused.getMessage(),
                    "Correct the property, or remove it to get its default.",
                    refused);
        }
    }

    /**
     * Returns what to do.
     *
     * @return one or more sentences
     */
    public String remedy() {
        return remedy;
    }
}
