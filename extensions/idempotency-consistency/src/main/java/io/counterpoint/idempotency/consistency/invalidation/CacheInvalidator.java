package io.counterpoint.idempotency.consistency.invalidation;

import io.counterpoint.idempotency.consistency.internal.Isolated;
import io.counterpoint.idempotency.consistency.outbox.EventConsumer;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Invalidates changed entries in the caches of all processes. Each process has one. As the consumer of an outbox topic,
 * it passes the {@link Invalidation} of each event to the caches of its own process and then, over the channel, to
 * those of all processes. Thread-safe.
 *
 * <p>Promised: a listening process removes the entry of an event at the latest when the event arrives over the channel.
 * A process that did not listen for a while clears its caches as soon as it listens again.
 *
 * <p>A process notices a missed message only when its connection ends. A cache therefore also needs a maximum age,
 * which limits staleness overall: {@link VersionedCache} has one.
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
     * Creates an invalidator for caches.
     *
     * @param channel carries invalidations; closed together with this
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

        /** Called when this process starts listening, for the first time or after an outage. Its caches are empty. */
        default void listening() {}

        /**
         * Called once per outage when the channel cannot be used. Until it ends, caches rely on their maximum age.
         *
         * @param thrown why
         */
        default void lost(Exception thrown) {}

        /**
         * Called when a message that is not an invalidation was ignored.
         *
         * @param thrown what was expected
         */
        default void unreadable(IllegalArgumentException thrown) {}
    }

    /**
     * Starts listening on a separate thread.
     *
     * @return this
     * @throws IllegalThreadStateException if it was already started
     */
    public CacheInvalidator start() {
        thread.start();
        return this;
    }

    /**
     * Invalidates the entry named by an event in all processes. During an outage of the channel, the event counts as
     * handled once this process has removed the entry, because the others clear their caches when they listen again.
     *
     * @param event an event whose payload is an {@link Invalidation#message}
     * @throws IllegalArgumentException if the payload is anything else
     * @throws Exception if it was not sent although this process listens, so that the event is redelivered
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

    /** Returns whether this ends an outage. */
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

    /** Stops listening and closes the channel. */
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
