package io.counterpoint.idempotency.consistency.invalidation;

import io.counterpoint.idempotency.consistency.internal.Isolated;
import io.counterpoint.idempotency.consistency.outbox.EventConsumer;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Invalidates changed entries in the caches of all processes. Each process has one. As the consumer of an outbox topic,
 * it passes the {@link Invalidation} of each event to the caches of its own process, and then to those of all processes
 * over the channel. Thread-safe.
 *
 * <p>Guarantees: a listening process forgets the entry that an event names, at the latest when the message arrives over
 * the channel. A process that stopped listening for a while forgets everything as soon as it listens again.
 *
 * <p>A process does not notice that it missed a message until its connection ends. So a cache also needs a maximum age,
 * which is then the overall limit: {@link VersionedCache} has one.
 */
public final class CacheInvalidator implements EventConsumer, AutoCloseable {

    private static final long PAUSE_MILLIS = 1_000;

    private final InvalidationChannel channel;
    private final Map<String, InvalidatedCache> caches;
    private final Listener listener;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::listen, "cache-invalidations");
    private boolean listens;
    private boolean isLost;

    private CacheInvalidator(InvalidationChannel channel, Map<String, InvalidatedCache> caches, Listener listener) {
        this.channel = channel;
        this.caches = Map.copyOf(caches);
        this.listener = listener;
        thread.setDaemon(true);
    }

    /**
     * An invalidator of some caches.
     *
     * @param channel carries invalidations, and is closed with this
     * @param caches the caches by the type of their entries; invalidations of other types are ignored
     * @param listener is notified of outages
     * @return an invalidator that does not listen before {@link #start}
     */
    public static CacheInvalidator over(
            InvalidationChannel channel, Map<String, InvalidatedCache> caches, Listener listener) {
        return new CacheInvalidator(channel, caches, listener);
    }

    /**
     * Receives notifications that matter to operators. Its exceptions go to the thread's uncaught exception handler.
     */
    public interface Listener {

        /** This process is listening, for the first time or again after an outage. Its caches are empty. */
        default void listening() {}

        /**
         * The channel is unavailable; called once per outage. In the meantime, caches rely on their maximum age.
         *
         * @param thrown why
         */
        default void lost(Exception thrown) {}

        /**
         * A message was not an invalidation and was ignored.
         *
         * @param thrown what was expected
         */
        default void unreadable(IllegalArgumentException thrown) {}
    }

    /**
     * Starts listening on a separate thread.
     *
     * @return this
     * @throws IllegalThreadStateException if it was started before
     */
    public CacheInvalidator start() {
        thread.start();
        return this;
    }

    /**
     * Invalidates the entry named by an event in all processes. During an outage of the channel, an event counts as
     * delivered once this process has forgotten the entry: the others forget everything when they listen again.
     *
     * @param event one whose payload is an {@link Invalidation#message}
     * @throws IllegalArgumentException if it is another text
     * @throws Exception if it was not sent although this process is listening, so that the event is redelivered
     */
    @Override
    public void accept(OutboxEvent event) throws Exception {
        Invalidation invalidation = Invalidation.parse(event.payload());
        forget(invalidation);
        try {
            channel.publish(invalidation.message());
            if (published()) {
                Isolated.run(listener::listening);
            }
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception thrown) {
            lost(thrown);
            if (listens()) {
                throw thrown;
            }
        }
    }

    private void forget(Invalidation invalidation) {
        InvalidatedCache cache = caches.get(invalidation.type());
        if (cache != null) {
            cache.invalidate(invalidation.id(), invalidation.version());
        }
    }

    private void listen() {
        try {
            do {
                try {
                    channel.receive(this::listening, this::received);
                } catch (InterruptedException interrupted) {
                    throw interrupted;
                } catch (Exception thrown) {
                    deaf();
                    lost(thrown);
                }
            } while (!closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void listening() {
        caches.values().forEach(InvalidatedCache::clear);
        synchronized (this) {
            listens = true;
            isLost = false;
        }
        Isolated.run(listener::listening);
    }

    private void received(String message) {
        Invalidation invalidation;
        try {
            invalidation = Invalidation.parse(message);
        } catch (IllegalArgumentException unreadable) {
            Isolated.run(() -> listener.unreadable(unreadable));
            return;
        }
        forget(invalidation);
    }

    private synchronized boolean listens() {
        return listens;
    }

    private synchronized void deaf() {
        listens = false;
    }

    /** Whether that ends an outage. */
    private synchronized boolean published() {
        boolean ended = isLost && listens;
        isLost = isLost && !listens;
        return ended;
    }

    private void lost(Exception thrown) {
        synchronized (this) {
            if (isLost || closing.getCount() == 0) {
                return;
            }
            isLost = true;
        }
        Isolated.run(() -> listener.lost(thrown));
    }

    /** Stops listening, and closes the channel. */
    @Override
    public void close() {
        closing.countDown();
        channel.close();
        try {
            if (thread != Thread.currentThread()) {
                thread.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
