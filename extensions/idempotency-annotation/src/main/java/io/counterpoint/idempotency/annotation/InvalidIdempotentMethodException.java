package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.internal.Symptom;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * A method is annotated with {@link Idempotent} but cannot be protected. The application does not start. A problem that
 * is detectable only during a call, such as {@code #attempt} outside a request, rejects the call before the method
 * runs.
 */
public final class InvalidIdempotentMethodException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** What to do. */
    private final String remedy;

    /**
     * Rejects a method.
     *
     * @param method the method
     * @param found the problem
     * @param remedy what to do
     */
    public InvalidIdempotentMethodException(Method method, String found, String remedy) {
        this(method, found, remedy, null);
    }

    /**
     * Rejects a method.
     *
     * @param method the method
     * @param found the problem
     * @param remedy what to do
     * @param cause the cause, if there is one
     */
    public InvalidIdempotentMethodException(Method method, String found, String remedy, @Nullable Throwable cause) {
        super(
                "@Idempotent on " + method.getDeclaringClass().getName() + "." + method.getName() + ": " + found + " "
                        + Symptom.METHOD_REFUSED.of(remedy),
                cause);
        this.remedy = Symptom.METHOD_REFUSED.of(remedy);
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
