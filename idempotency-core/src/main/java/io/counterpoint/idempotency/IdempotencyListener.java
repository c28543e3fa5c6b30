package io.counterpoint.idempotency;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Receives events about keys, for metrics, logs and traces.
 *
 * <p>It is called on the caller's thread, sometimes while a connection is held, so it must be fast. Exceptions that it
 * throws are swallowed: a listener cannot change an outcome.
 */
@FunctionalInterface
public interface IdempotencyListener {

    /** Ignores all events, at no cost. */
    IdempotencyListener NONE = event -> {};

    /**
     * Called when something has happened to a key.
     *
     * @param event what happened; later versions may send additional kinds of events
     */
    void onEvent(IdempotencyEvent event);

    /**
     * Returns a listener that receives events of one kind only.
     *
     * @param <E> the kind
     * @param kind the class of the event
     * @param action what to do with it
     * @return the listener
     */
    static <E extends IdempotencyEvent> IdempotencyListener on(Class<E> kind, Consumer<? super E> action) {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(action, "action");
        return event -> {
            if (kind.isInstance(event)) {
                action.accept(kind.cast(event));
            }
        };
    }

    /**
     * Returns a listener that passes each event to this one and then to another, even if this one throws.
     *
     * @param next the other
     * @return both
     */
    default IdempotencyListener andThen(IdempotencyListener next) {
        Objects.requireNonNull(next, "next");
        return event -> {
            try {
                onEvent(event);
            } finally {
                next.onEvent(event);
            }
        };
    }
}
