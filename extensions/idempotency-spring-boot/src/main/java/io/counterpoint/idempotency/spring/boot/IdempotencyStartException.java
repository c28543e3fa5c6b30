package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.internal.Symptom;
import org.jspecify.annotations.Nullable;

/** The application does not start, because the library cannot provide its guarantees. */
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

    /**
     * What to do.
     *
     * @return one or more sentences
     */
    public String remedy() {
        return remedy;
    }
}
