package io.counterpoint.idempotency.consistency.outbox;

/**
 * Receives events from a publisher. It may get an event more than once, even concurrently if it takes longer than the
 * publisher's claim lasts; {@link IdempotentConsumer} applies each event once.
 */
@FunctionalInterface
public interface EventConsumer {

    /**
     * Handles an event. The publisher holds no connection in the meantime.
     *
     * @param event the event
     * @throws Exception if it was not processed; it is redelivered after a pause, until it is parked
     */
    void accept(OutboxEvent event) throws Exception;
}
