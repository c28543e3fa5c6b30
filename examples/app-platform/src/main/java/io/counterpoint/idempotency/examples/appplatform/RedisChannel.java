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

/** Distributes messages over a channel of a Redis-compatible server. */
final class RedisChannel implements InvalidationChannel {

    /** The variable with the URL. Other users of the machine can read arguments. */
    static final String VARIABLE = "APP_PLATFORM_REDIS_URL";

    /** The longest that a call waits for a connection or a reply. */
    private static final int TIMEOUT_MILLIS = 300;

    /** A subscription that receives nothing for this long, not even the reply to its heartbeat, is lost. */
    private static final int SILENCE_MILLIS = 3_000;

    private static final int BEAT_MILLIS = 1_000;

    private final URI address;
    private final JedisClientConfig config;
    private final RedisClient client;
    private volatile @Nullable Connection subscribed;
    private volatile boolean isClosed;

    /** Connects on first use. */
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
     * Parses a URL.
     *
     * @return empty for an empty text
     * @throws CannotRun if the text is invalid. The message omits it, since it may contain a password
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
            // The exception's message contains the URL.
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
                    // These connections may date from before the server restarted.
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
     * Without a heartbeat, nobody would notice a server that disappeared silently. The heartbeat repeats the
     * subscription, which gets a reply and changes nothing. It is not PING, because that reply may arrive before Jedis
     * waits for it, which ends the subscription.
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
