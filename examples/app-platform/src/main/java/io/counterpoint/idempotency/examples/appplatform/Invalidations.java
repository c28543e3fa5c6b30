package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.UUID;

/**
 * Tells the caches of all processes what to forget. It is a hint that may be lost: the outbox keeps the truth, and an entry
 * lives no longer than its bound.
 */
@FunctionalInterface
interface Invalidations extends AutoCloseable {

    /** Tells all processes that apps older than this version are out of date. */
    void tell(UUID app, long version);

    default void on(OutboxEvent event) {
        tell(UUID.fromString(event.orderKey().orElseThrow()), Long.parseLong(event.payload()));
    }

    /** Begins to listen. */
    default void start() {}

    /** Stops listening. */
    @Override
    default void close() {}
}
