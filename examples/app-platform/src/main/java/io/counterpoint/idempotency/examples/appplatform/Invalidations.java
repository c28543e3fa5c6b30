package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Tells the caches of all processes what to forget. It is a hint that may be lost: the outbox keeps the truth, and an entry
 * lives no longer than its bound.
 */
@FunctionalInterface
interface Invalidations extends AutoCloseable {

    /** The channel, of whatever carries invalidations. */
    String CHANNEL = "cache:invalidate";

    /** Tells all processes that apps older than this version are out of date. */
    void tell(UUID app, long version);

    default void on(OutboxEvent event) {
        tell(UUID.fromString(event.orderKey().orElseThrow()), Long.parseLong(event.payload()));
    }

    /** What is said on the channel. */
    static String message(UUID app, long version) {
        return app + " " + version;
    }

    /**
     * Reads what was said on the channel.
     *
     * @throws IllegalArgumentException for another text
     */
    static void read(String message, BiConsumer<UUID, Long> invalidate) {
        int space = message.indexOf(' ');
        invalidate.accept(
                UUID.fromString(message.substring(0, Math.max(0, space))),
                Long.parseLong(message.substring(space + 1)));
    }

    /** Begins to listen. */
    default void start() {}

    /** Stops listening. */
    @Override
    default void close() {}
}
