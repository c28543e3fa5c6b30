package io.counterpoint.idempotency.consistency.invalidation;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Carries messages to every process that listens. It may lose messages when a connection is lost, and reports that by
 * ending {@link #receive}. Thread-safe.
 */
public interface InvalidationChannel extends AutoCloseable {

    /** The channel, of whatever carries invalidations. */
    String NAME = "cache:invalidate";

    /**
     * Sends a message to all listening processes, including this one.
     *
     * @param message ASCII text of at most 2,300 characters
     * @throws Exception if it may not have been sent
     */
    void publish(String message) throws Exception;

    /**
     * Listens on the calling thread until the channel is closed. It is called again after it throws.
     *
     * @param listening called once, when no message published from then on can be missed
     * @param messages takes each message
     * @throws Exception if it no longer listens, or an argument threw
     */
    void receive(Runnable listening, Consumer<String> messages) throws Exception;

    /** Lets {@link #receive} return soon. */
    @Override
    void close();

    /**
     * For a service with a single process, whose caches get all events; nothing is sent.
     *
     * @return a channel without other listeners
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
