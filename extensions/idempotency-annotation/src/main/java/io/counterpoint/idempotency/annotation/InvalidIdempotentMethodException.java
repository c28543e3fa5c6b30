package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a method is annotated with {@link Idempotent} but cannot be protected, in which case the application does
 * not start. A problem that shows only at a call, such as {@code #attempt} without a servlet request, rejects the call
 * before the method runs.
 */
public final class InvalidIdempotentMethodException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String remedy;

    /**
     * Creates an exception.
     *
     * @param method the method
     * @param found the problem
     * @param remedy what to do
     */
    public InvalidIdempotentMethodException(Method method, String found, String remedy) {
        this(method, found, remedy, null);
    }

    /**
     * Creates an exception.
     *
     * @param method the method
     * @param found the problem
     * @param remedy what to do
     * @param cause the cause, if any
     */
    public InvalidIdempotentMethodException(Method method, String found, String remedy, @Nullable Throwable cause) {
        super(
                "@Idempotent on " + method.getDeclaringClass().getName() + "." + method.getName() + ": " + found + " "
                        + Symptom.METHOD_REFUSED.of(remedy),
                cause);
        this.remedy = Symptom.METHOD_REFUSED.of(remedy);
    }

    /**
     * Returns what to do.
     *
     * @return a sentence
     */
    public String remedy() {
        return remedy;
    }
}
