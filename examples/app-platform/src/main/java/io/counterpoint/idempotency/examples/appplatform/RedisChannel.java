package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.invalidation.InvalidationChannel;
import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.JedisURIHelper;

/** Carries messages over a channel of a server of the Redis protocol. */
final class RedisChannel implements InvalidationChannel {

    /** The variable that holds the URL: everybody on the machine can read arguments. */
    static final String VARIABLE = "APP_PLATFORM_REDIS_URL";

    /** No call waits longer for a connection, nor for an answer. */
    private static final int TIMEOUT_MILLIS = 300;

    /** A subscription that receives nothing for so long, not even the answer to its beat, is lost. */
    private static final int SILENCE_MILLIS = 3_000;

    private static final int BEAT_MILLIS = 1_000;

    private final URI address;
    private final JedisClientConfig config;
    private final RedisClient client;
    private volatile @Nullable Connection subscribed;
    private volatile boolean isClosed;

    /** Connects when it is asked for the first time. */
    RedisChannel(URI address) {
        this.address = address;
        config = DefaultJedisClientConfig.builder(address)
                .timeoutMillis(TIMEOUT_MILLIS)
                .blockingSocketTimeoutMillis(SILENCE_MILLIS)
                .build();
        client = RedisClient.builder()
                .hostAndPort(JedisURIHelper.getHostAndPort(address))
                .clientConfig(config)
                .build();
    }

    /**
     * Reads a URL.
     *
     * @return nothing for an empty text
     * @throws CannotRun for another text, which is not repeated since it may hold a password
     */
    static Optional<URI> address(String url) throws CannotRun {
        if (url.isEmpty()) {
            return Optional.empty();
        }
        try {
            URI uri = new URI(url);
            boolean isWhole = url.matches("redis://([^:/@]*:[^/@]+@)?[^/@?#]+:[1-9][0-9]{0,4}(/[0-9]{1,4})?");
            if (isWhole && JedisURIHelper.isValid(uri) && uri.getPort() <= 65_535) {
                return Optional.of(uri);
            }
        } catch (URISyntaxException wrong) {
            // Its text has the URL.
        }
        throw new CannotRun("The URL of Redis must be redis://user:password@host:port/database, where user, password"
                + " and database may be missing.");
    }

    @Override
    public void publish(String message) {
        long unused = client.publish(NAME, message);
    }

    @Override
    public void receive(Runnable listening, Consumer<String> messages) throws IOException {
        JedisPubSub subscription = new JedisPubSub() {
            private boolean answersBeats;

            @Override
            public void onSubscribe(String channel, int channels) {
                if (!answersBeats) {
                    answersBeats = true;
                    // A server that was started again has closed them.
                    client.getPool().clear();
                    listening.run();
                }
            }

            @Override
            public void onMessage(String channel, String message) {
                messages.accept(message);
            }
        };
        ScheduledExecutorService beats = Executors.newSingleThreadScheduledExecutor();
        try (Connection connection = new Connection(JedisURIHelper.getHostAndPort(address), config)) {
            subscribed = connection;
            if (!isClosed) {
                var unused = beats.scheduleWithFixedDelay(
                        () -> beat(subscription), BEAT_MILLIS, BEAT_MILLIS, TimeUnit.MILLISECONDS);
                subscription.proceed(connection, NAME);
            }
        } catch (RuntimeException lost) {
            if (!isClosed) {
                throw new IOException("Redis does not listen: " + lost.getMessage(), lost);
            }
        } finally {
            subscribed = null;
            beats.shutdownNow();
        }
    }

    /**
     * A server that is gone without a word would be listened to for ever. The channel is subscribed once more, which is
     * answered and changes nothing. An answer to PING may arrive before Jedis waits for it, which ends the subscription.
     */
    private static void beat(JedisPubSub subscription) {
        if (subscription.isSubscribed()) {
            subscription.subscribe(NAME);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        Connection now = subscribed;
        if (now != null) {
            now.disconnect();
        }
        client.close();
    }
}
