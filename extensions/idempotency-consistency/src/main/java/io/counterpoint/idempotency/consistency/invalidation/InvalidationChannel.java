package io.counterpoint.idempotency.consistency.invalidation;

import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Carries messages to every process that listens. It may lose a message where a connection is lost, and says so by ending
 * {@link #receive}. Thread-safe.
 */
public interface InvalidationChannel extends AutoCloseable {

    /** The channel, of whatever carries invalidations. */
    String NAME = "cache:invalidate";

    /**
     * Sends a message to all that listen, this process included.
     *
     * @param message ASCII text of at most 2,300 characters
     * @throws Exception if it was perhaps not sent
     */
    void publish(String message) throws Exception;

    /**
     * Listens, in the calling thread, until the channel is closed. It is called again after it has thrown.
     *
     * @param listening is called once, when no message that is published from then on is missed
     * @param messages takes each message
     * @throws Exception if it does not listen any more, or the arguments have thrown
     */
    void receive(Runnable listening, Consumer<String> messages) throws Exception;

    /** Lets {@link #receive} return soon. */
    @Override
    void close();

    /**
     * For a service of one process, whose caches get all events: nothing is sent.
     *
     * @return a channel that nobody else listens to
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
