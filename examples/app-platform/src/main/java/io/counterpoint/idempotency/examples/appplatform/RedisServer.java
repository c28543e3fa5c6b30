package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A server that may be slow, unreachable or gone: nobody waits for it long, and no call fails because of it. After a failure
 * one call a second finds out whether it is back. Thread-safe.
 */
final class RedisServer implements AutoCloseable {

    /** No call waits longer for a connection, nor for an answer. */
    private static final int TIMEOUT_MILLIS = 300;

    /** A subscription that hears nothing for so long, not even the answer to its {@linkplain #BEAT beat}, is lost. */
    private static final int SILENCE_MILLIS = 3_000;

    /** How often a subscription asks for a sign of its server. */
    static final Duration BEAT = Duration.ofSeconds(1);

    /** As many as requests have to the database. */
    private static final int CONNECTIONS = 32;

    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private final RedisAddress address;
    private final Consumer<String> log;
    private final JedisClientConfig config;
    private final RedisClient client;
    private final AtomicLong nextTry = new AtomicLong();
    private volatile boolean isReachable = true;

    /** Connects when it is asked for the first time. */
    RedisServer(RedisAddress address, Consumer<String> log) {
        this.address = address;
        this.log = log;
        DefaultJedisClientConfig.Builder settings = DefaultJedisClientConfig.builder()
                .timeoutMillis(TIMEOUT_MILLIS)
                .blockingSocketTimeoutMillis(SILENCE_MILLIS)
                .database(address.database());
        if (!address.user().isEmpty()) {
            settings.user(address.user());
        }
        if (!address.password().isEmpty()) {
            settings.password(address.password());
        }
        config = settings.build();
        ConnectionPoolConfig pool = new ConnectionPoolConfig();
        pool.setMaxTotal(CONNECTIONS);
        pool.setMaxIdle(CONNECTIONS);
        pool.setMaxWait(Duration.ofMillis(TIMEOUT_MILLIS));
        client = RedisClient.builder()
                .hostAndPort(hostAndPort())
                .clientConfig(config)
                .poolConfig(pool)
                .build();
    }

    private HostAndPort hostAndPort() {
        return new HostAndPort(address.host(), address.port());
    }

    /** Returns an answer; empty if there is none in time, or if the server is not asked since it has just failed. */
    <T> Optional<T> ask(Function<RedisClient, T> question) {
        return mayAsk() ? attempt(question) : Optional.empty();
    }

    /** Gives the server a command that it may get twice. Returns whether it has answered. */
    boolean tell(Function<RedisClient, ?> command) {
        boolean wasReachable = isReachable;
        // A server that was started again has closed the connections of the pool.
        return attempt(command).isPresent() || (wasReachable && attempt(command).isPresent());
    }

    private boolean mayAsk() {
        if (isReachable) {
            return true;
        }
        long at = nextTry.get();
        long now = System.nanoTime();
        return now - at >= 0 && nextTry.compareAndSet(at, now + PAUSE_NANOS);
    }

    private <T> Optional<T> attempt(Function<RedisClient, T> question) {
        try {
            T answer = question.apply(client);
            if (!isReachable) {
                isReachable = true;
                log.accept(address + " is used again");
            }
            return Optional.of(answer);
        } catch (RuntimeException failed) {
            if (failed instanceof JedisConnectionException) {
                client.getPool().clear();
            }
            nextTry.set(System.nanoTime() + PAUSE_NANOS);
            if (isReachable) {
                isReachable = false;
                log.accept(address + " cannot be used, so apps are read from the database: " + failed.getMessage());
            }
            return Optional.empty();
        }
    }

    /** A connection of its own, for a subscription. */
    Connection connect() {
        return new Connection(hostAndPort(), config);
    }

    @Override
    public void close() {
        client.close();
    }
}
