package io.counterpoint.idempotency.consistency.invalidation;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Carries messages to every listening process. It may lose messages when a connection is lost, which it reports by
 * ending {@link #receive}. Thread-safe.
 */
public interface InvalidationChannel extends AutoCloseable {

    /** The name of the channel in the transport that carries invalidations. */
    String NAME = "cache:invalidate";

    /**
     * Sends a message to all listening processes, including this one.
     *
     * @param message ASCII text of at most 2,300 characters
     * @throws Exception if it may not have been sent
     */
    void publish(String message) throws Exception;

    /**
     * Listens on the calling thread until the channel is closed. It is called again after it has thrown.
     *
     * @param listening called once, as soon as no message published from then on will be missed
     * @param messages receives each message
     * @throws Exception if it no longer listens or an argument threw
     */
    void receive(Runnable listening, Consumer<String> messages) throws Exception;

    /** Makes {@link #receive} return soon. */
    @Override
    void close();

    /**
     * Returns a channel for a service with a single process, whose caches get all events: nothing is sent.
     *
     * @return the channel
     */
    static InvalidationChannel none() {
        CountDownLatch closed = new CountDownLatch(1);
        return new InvalidationChannel() {
            @Override
            public void publish(String message) {}

            @Override
            public void receive(Runnable listening, Consumer<String> messages) throws InterruptedException {
                listening.run();
                closed.await();
            }

            @Override
            public void close() {
                closed.countDown();
            }
        };
    }
}
