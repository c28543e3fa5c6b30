package io.counterpoint.idempotency.examples.appplatform;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;

/**
 * Invalidations over a channel of a server of the Redis protocol, which forgets in its own level of the cache first. A
 * process that was not subscribed may have missed some, so it forgets everything when it is subscribed again.
 */
final class RedisInvalidations implements Invalidations {

    private static final long PAUSE_MILLIS = 1_000;

    private final RedisApps shared;
    private final AppCache cache;
    private final Consumer<String> log;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::listen, "cache-invalidations");
    private final ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread created = new Thread(work, "cache-invalidations-beat");
        created.setDaemon(true);
        return created;
    });
    private volatile @Nullable Connection listening;
    private volatile @Nullable Subscription subscription;

    /** Closes the server with this. */
    RedisInvalidations(RedisApps shared, AppCache cache, Consumer<String> log) {
        this.shared = shared;
        this.cache = cache;
        this.log = log;
        thread.setDaemon(true);
    }

    @Override
    public void start() {
        thread.start();
        long every = RedisServer.BEAT.toMillis();
        var unused = beats.scheduleWithFixedDelay(this::beat, every, every, TimeUnit.MILLISECONDS);
    }

    /** What cannot be sent is logged: the others forget the entry when its time is up. */
    @Override
    public void tell(UUID app, long version) {
        if (!shared.forget(app, version)) {
            log.accept("not sent: " + Invalidations.message(app, version));
        }
    }

    private final class Subscription extends JedisPubSub {

        private boolean answersBeats;

        @Override
        public void onSubscribe(String channel, int channels) {
            if (!answersBeats) {
                answersBeats = true;
                cache.clear();
                log.accept("listening");
            }
        }

        @Override
        public void onMessage(String channel, String message) {
            try {
                Invalidations.read(message, cache::invalidate);
            } catch (IllegalArgumentException e) {
                log.accept("a message on " + channel + " is none of ours");
            }
        }
    }

    private void listen() {
        boolean pause = false;
        try {
            while (!closed.await(pause ? PAUSE_MILLIS : 0, TimeUnit.MILLISECONDS)) {
                pause = true;
                try (Connection connection = shared.server().connect()) {
                    listening = connection;
                    if (closed.getCount() == 0) {
                        return;
                    }
                    Subscription subscribed = new Subscription();
                    subscription = subscribed;
                    subscribed.proceed(connection, CHANNEL);
                } catch (RuntimeException lost) {
                    if (closed.getCount() == 0) {
                        return;
                    }
                    log.accept("not listening, trying again: " + lost.getMessage());
                } finally {
                    subscription = null;
                    listening = null;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A server that is gone without a word would be listened to for ever. The channel is subscribed once more, which is
     * answered and changes nothing. An answer to PING may arrive before Jedis waits for it, which ends the subscription.
     */
    private void beat() {
        Subscription now = subscription;
        if (now == null || !now.isSubscribed()) {
            return;
        }
        try {
            now.subscribe(CHANNEL);
        } catch (RuntimeException | Error lost) {
            // The listener learns it as well.
        }
    }

    @Override
    public void close() {
        closed.countDown();
        beats.shutdownNow();
        stopWaiting();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        shared.server().close();
    }

    private void stopWaiting() {
        Connection now = listening;
        if (now == null) {
            return;
        }
        try {
            now.disconnect();
        } catch (RuntimeException alreadyClosed) {
            // Then the listener does not wait any more.
        }
    }
}
