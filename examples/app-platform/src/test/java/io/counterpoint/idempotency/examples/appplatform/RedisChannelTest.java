package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.invalidation.CacheInvalidator;
import io.counterpoint.idempotency.consistency.invalidation.Invalidation;
import io.counterpoint.idempotency.consistency.invalidation.VersionedCache;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** Two nodes with a real Redis, whose cache entries do not expire. */
@Tag("redis")
class RedisChannelTest {

    private final AtomicLong stored = new AtomicLong(1);
    private RedisFixture redis;
    private Node here;
    private Node there;

    private final class Node implements CacheInvalidator.Listener, AutoCloseable {
        private final VersionedCache<Long> cache =
                VersionedCache.of(10, Duration.ofDays(1), Long::longValue, id -> Optional.of(stored.get()));
        private final Semaphore listens = new Semaphore(0);
        private final List<String> outages = new CopyOnWriteArrayList<>();
        private final CacheInvalidator invalidator;

        Node(URI address) throws InterruptedException {
            invalidator = CacheInvalidator.over(new RedisChannel(address), Map.of("app", cache), this)
                    .start();
            awaitListening();
            assertThat(read()).isEqualTo(1);
        }

        @Override
        public void listening() {
            listens.release();
        }

        @Override
        public void lost(Exception thrown) {
            outages.add(String.valueOf(thrown.getMessage()));
        }

        void awaitListening() throws InterruptedException {
            assertThat(listens.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        }

        long read() {
            return cache.get("a").orElseThrow();
        }

        void change(long version) throws Exception {
            stored.set(version);
            invalidator.accept(new Invalidation("app", "a", version).event("cache"));
            assertThat(read()).isEqualTo(version);
        }

        @Override
        public void close() {
            invalidator.close();
        }
    }

    @BeforeEach
    void listen() throws Exception {
        redis = RedisFixture.start();
        here = new Node(redis.address());
        there = new Node(redis.address());
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        redis.close();
    }

    @Test
    void everyNodeForgetsAtOnce() throws Exception {
        there.change(2);
        TestPlatform.await(() -> here.read() == 2);
    }

    /** The names are those in the documentation, because other programs may use them, too. */
    @Test
    void channelAndMessageAreThoseOfTheDocument() throws Exception {
        stored.set(2);
        assertThat(here.read()).isEqualTo(1);
        try (RedisClient other = redis.client()) {
            assertThat(other.publish("cache:invalidate", "none of ours")).isEqualTo(2);
            assertThat(other.publish("cache:invalidate", "{\"type\":\"app\",\"id\":\"a\"}"))
                    .isEqualTo(2);
        }
        TestPlatform.await(() -> here.read() == 2);
    }

    /** The change is published while no node is listening, so Redis has lost it by the time they do. */
    @Test
    void nodeThatWasNotSubscribedForgetsEverythingAndSaysOneOutage() throws Exception {
        redis.kill();
        TestPlatform.await(() -> !here.outages.isEmpty() && !there.outages.isEmpty());
        there.change(2);
        assertThat(here.read()).isEqualTo(1);
        // Both nodes reconnect once a second.
        assertThat(here.listens.tryAcquire(3, TimeUnit.SECONDS)).isFalse();
        redis.restart();
        here.awaitListening();
        there.awaitListening();
        assertThat(here.read()).isEqualTo(2);
        there.change(3);
        TestPlatform.await(() -> here.read() == 3);
        for (Node node : List.of(here, there)) {
            assertThat(node.outages).hasSize(1);
            assertThat(node.listens.availablePermits()).isZero();
        }
    }

    /** No connection is closed, so only silence shows that the subscription is lost. */
    @Test
    void subscriptionThatReceivesNothingIsMadeAgain() throws Exception {
        redis.pause();
        stored.set(2);
        TestPlatform.await(() -> !here.outages.isEmpty());
        assertThat(here.read()).isEqualTo(1);
        redis.goOn();
        here.awaitListening();
        assertThat(here.read()).isEqualTo(2);
    }

    @Test
    void subscriptionThatIsQuietIsKept() throws Exception {
        assertThat(here.listens.tryAcquire(5, TimeUnit.SECONDS))
                .as("listening again")
                .isFalse();
        assertThat(here.outages).isEmpty();
        there.change(2);
        TestPlatform.await(() -> here.read() == 2);
    }

    /** The server has closed the publisher's connection. */
    @Test
    void eventAfterARestartOfTheServerReachesEveryNode() throws Exception {
        there.change(2);
        redis.kill();
        redis.restart();
        here.awaitListening();
        there.awaitListening();
        for (Node node : List.of(here, there)) {
            assertThat(node.read()).isEqualTo(2);
        }
        there.change(3);
        TestPlatform.await(() -> here.read() == 3);
    }

    @Test
    void passwordIsUsedAndNotSaid() throws Exception {
        try (RedisFixture locked = RedisFixture.start("--requirepass", "s:cret")) {
            String url = locked.url().replace("redis://", "redis://:%s@");
            new Node(URI.create(url.formatted("s%3Acret"))).close();
            try (RedisChannel refused = new RedisChannel(URI.create(url.formatted("no-s%3Acret")))) {
                assertThatThrownBy(() -> refused.receive(() -> {}, message -> {}))
                        .hasMessageContaining("WRONGPASS")
                        .hasMessageNotContaining("cret");
            }
        }
    }
}
