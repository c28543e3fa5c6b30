package io.counterpoint.idempotency.consistency.outbox;

/**
 * Receives events from a publisher. An event may be delivered more than once, even concurrently if handling it takes
 * longer than the publisher's claim: {@link IdempotentConsumer} applies each once.
 */
@FunctionalInterface
public interface EventConsumer {

    /**
     * Handles an event. The publisher holds no connection in the meantime.
     *
     * @param event the event
     * @throws Exception if it was not handled; it is redelivered after a pause until it is parked
     */
    void accept(OutboxEvent event) throws Exception;
}
