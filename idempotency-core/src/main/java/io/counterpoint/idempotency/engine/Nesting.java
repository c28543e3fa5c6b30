package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NestedCallException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rule 12: rejects a call inside a call, because the outer rollback would not undo the inner call and both would need a
 * connection.
 */
public final class Nesting {

    private static final ThreadLocal<@Nullable IdempotencyKey> RUNNING = new ThreadLocal<>();

    private Nesting() {}

    /**
     * Throws if this thread is inside a call.
     *
     * @param what what is being called, for the message
     * @throws IllegalStateException if this thread is inside a call
     */
    public static void requireNotInside(Object what) {
        IdempotencyKey outer = RUNNING.get();
        if (outer != null) {
            throw new NestedCallException(what + ": called inside the call of " + outer + ", whose rollback would not"
                    + " undo it. Call one after the other, or do both in one operation.");
        }
    }

    /** Makes a call that must not be inside another. */
    static <T> T notNested(IdempotencyKey key, Supplier<T> call) {
        requireNotInside(key);
        RUNNING.set(key);
        try {
            return call.get();
        } finally {
            RUNNING.set(null);
        }
    }
}
