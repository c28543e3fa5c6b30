package io.counterpoint.idempotency.consistency.outbox;

/**
 * Receives events from a publisher. It may get one more than once, and two at once if it is slower than the publisher's
 * claim lasts: {@link IdempotentConsumer} applies each once.
 */
@FunctionalInterface
public interface EventConsumer {

    /**
     * Handles an event. The publisher holds no connection meanwhile.
     *
     * @param event the event
     * @throws Exception if it was not taken; it comes again, after a pause, until it is parked
     */
    void accept(OutboxEvent event) throws Exception;
}
