package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** A node that listens over a real Redis. Its time stands still, so no entry is forgotten because of its age. */
@Tag("redis")
class RedisInvalidationsTest {

    private static final UUID APP = UUID.randomUUID();

    private final AtomicLong stored = new AtomicLong(1);
    private final AtomicLong now = new AtomicLong();
    private final Semaphore heard = new Semaphore(0);
    private final List<String> log = new CopyOnWriteArrayList<>();
    private RedisFixture redis;
    private RedisApps writer;
    private AppCache cache;
    private Invalidations listening;

    @BeforeEach
    void listen() throws Exception {
        redis = RedisFixture.start();
        writer = new RedisApps(new RedisServer(redis.address(), line -> {}));
        RedisApps shared = new RedisApps(new RedisServer(redis.address(), line -> {}));
        cache = new AppCache(
                shared,
                id -> Optional.of(new AppCache.App(APP, 1, "app", "draft", "none", stored.get())),
                now::incrementAndGet);
        listening = new RedisInvalidations(shared, cache, line -> {
            log.add(line);
            if (line.equals("listening")) {
                heard.release();
            }
        });
        listening.start();
        heard.acquire();
        assertThat(read()).isEqualTo(1);
    }

    @AfterEach
    void close() throws Exception {
        listening.close();
        writer.server().close();
        redis.close();
    }

    private long read() {
        return cache.get(APP, 0).orElseThrow().version();
    }

    @Test
    void cacheOfAnotherNodeForgetsAtOnce() {
        stored.set(2);
        assertThat(read()).isEqualTo(1);
        assertThat(writer.forget(APP, 2)).isTrue();
        TestPlatform.await(() -> read() == 2);
    }

    @Test
    void messageOfOthersIsIgnored() {
        try (RedisClient other = redis.client()) {
            for (String message : new String[] {"", "all", APP + " ", APP + " two", "app 2"}) {
                assertThat(other.publish(Invalidations.CHANNEL, message)).isEqualTo(1);
            }
        }
        stored.set(2);
        assertThat(writer.forget(APP, 2)).isTrue();
        TestPlatform.await(() -> read() == 2);
        assertThat(log).filteredOn(line -> line.endsWith("is none of ours")).hasSize(5);
    }

    /** The invalidation is sent while it does not listen, and Redis has lost it when it does. */
    @Test
    void nodeThatWasNotSubscribedForgetsEverything() throws Exception {
        stored.set(2);
        redis.kill();
        TestPlatform.await(() -> log.size() > 1);
        assertThat(writer.forget(APP, 2)).isFalse();
        assertThat(read()).isEqualTo(1);
        redis.restart();
        heard.acquire();
        assertThat(read()).isEqualTo(2);
        stored.set(3);
        assertThat(read()).isEqualTo(2);
        assertThat(writer.forget(APP, 3)).isTrue();
        TestPlatform.await(() -> read() == 3);
    }

    /** No connection is closed, so only silence shows that the subscription is lost. */
    @Test
    void subscriptionThatHearsNothingIsMadeAgain() throws Exception {
        redis.pause();
        TestPlatform.await(() -> log.size() > 1);
        assertThat(log.get(1)).startsWith("not listening, trying again");
        stored.set(2);
        assertThat(read()).isEqualTo(1);
        // The second level has the entry still, and is right to show it until its time is up.
        try (RedisClient other = redis.client()) {
            redis.goOn();
            heard.acquire();
            assertThat(other.flushAll()).isEqualTo("OK");
        }
        TestPlatform.await(() -> read() == 2);
    }

    @Test
    void subscriptionThatIsQuietIsKept() throws Exception {
        assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).as("listening again").isFalse();
        assertThat(log).containsExactly("listening");
        stored.set(2);
        assertThat(writer.forget(APP, 2)).isTrue();
        TestPlatform.await(() -> read() == 2);
    }

    @Test
    void whatCannotBeSentIsLoggedAndNothingMore() {
        redis.kill();
        listening.tell(APP, 2);
        assertThat(log).contains("not sent: " + APP + " 2");
    }
}
