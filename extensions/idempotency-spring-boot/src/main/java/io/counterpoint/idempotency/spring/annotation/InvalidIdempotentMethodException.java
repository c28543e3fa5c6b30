package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** A method is annotated with {@link Idempotent} and cannot keep its promise. The application does not start. */
public final class InvalidIdempotentMethodException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String remedy;

    InvalidIdempotentMethodException(Method method, String found, String remedy) {
        this(method, found, remedy, null);
    }

    InvalidIdempotentMethodException(Method method, String found, String remedy, @Nullable Throwable cause) {
        super(
                "@Idempotent on " + method.getDeclaringClass().getName() + "." + method.getName() + ": " + found + " "
                        + remedy,
                cause);
        this.remedy = remedy;
    }

    /**
     * What to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return remedy;
    }
}
