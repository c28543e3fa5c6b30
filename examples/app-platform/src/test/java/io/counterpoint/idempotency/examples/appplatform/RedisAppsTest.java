package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.AppCache.App;
import io.counterpoint.idempotency.examples.appplatform.SharedApps.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.RedisClient;

/** The second level of the cache, in a real Redis: it serves what it knows, and never puts back what is older. */
@Tag("redis")
class RedisAppsTest {

    private static final UUID APP = UUID.randomUUID();
    private static final String KEY = "app-platform:app:" + APP;
    private static final Duration BOUND = AppCache.BOUND.lag();

    private final AtomicReference<App> stored = new AtomicReference<>(version(1));
    private final AtomicReference<Runnable> duringRead = new AtomicReference<>(() -> {});
    private final AtomicInteger reads = new AtomicInteger();
    private final List<String> log = new ArrayList<>();
    private RedisFixture redis;
    private RedisClient client;
    private RedisServer server;
    private RedisApps apps;

    @BeforeEach
    void start() throws Exception {
        redis = RedisFixture.start();
        client = redis.client();
        server = new RedisServer(redis.address(), log::add);
        apps = new RedisApps(server);
    }

    @AfterEach
    void close() {
        server.close();
        client.close();
        redis.close();
    }

    private static App version(long version) {
        return new App(APP, 7, "app | \"ä\u20ac\" " + version, "draft", "none", version);
    }

    /** What the database says now; another happens before the answer is there. */
    private Optional<App> find(UUID id) {
        reads.incrementAndGet();
        App read = stored.get();
        duringRead.getAndSet(() -> {}).run();
        return Optional.of(read);
    }

    private AppCache node() {
        return new AppCache(apps, this::find, System::nanoTime);
    }

    private long read(long atLeast) {
        return apps.read(APP, atLeast, this::find).app().orElseThrow().version();
    }

    /** What another node would be served, without asking the database; 0 if nothing. */
    private long served() {
        return apps.read(APP, 0, id -> Optional.empty()).app().map(App::version).orElse(0L);
    }

    @Test
    void nodeThatHasNoEntryIsServedByTheSecondLevel() {
        AppCache first = node();
        AppCache second = node();
        assertThat(first.get(APP, 0)).contains(version(1));
        assertThat(second.get(APP, 0)).contains(version(1));
        assertThat(reads).hasValue(1);
        // It is in the first level now.
        redis.kill();
        assertThat(second.get(APP, 0)).contains(version(1));
        assertThat(reads).hasValue(1);
    }

    @Test
    void nothingOlderIsServedThanWasAskedFor() {
        assertThat(read(0)).isEqualTo(1);
        stored.set(version(2));
        assertThat(read(0)).as("without a version").isEqualTo(1);
        assertThat(read(2)).isEqualTo(2);
        assertThat(read(1)).as("what was read is shared").isEqualTo(2);
        assertThat(reads).hasValue(2);
    }

    @Test
    void invalidationForgetsWhatIsOlderAndNothingElse() {
        stored.set(version(3));
        assertThat(read(0)).isEqualTo(3);
        assertThat(apps.forget(APP, 2)).isTrue();
        assertThat(apps.forget(APP, 3)).isTrue();
        assertThat(served()).isEqualTo(3);
        assertThat(apps.forget(APP, 4)).isTrue();
        assertThat(served()).isZero();
    }

    /** The reader is slow: the writer commits and invalidates between its read and its refill. */
    @Test
    void refillThatWasReadBeforeTheInvalidationIsRefused() {
        duringRead.set(() -> {
            stored.set(version(2));
            assertThat(apps.forget(APP, 2)).isTrue();
        });
        assertThat(read(0)).isEqualTo(1);
        assertThat(served()).isZero();
        assertThat(read(0)).isEqualTo(2);
        assertThat(served()).isEqualTo(2);
    }

    /** Two readers: the one that has read later is faster. */
    @Test
    void refillDoesNotReplaceANewerOne() {
        duringRead.set(() -> {
            stored.set(version(2));
            assertThat(read(0)).isEqualTo(2);
        });
        assertThat(read(0)).isEqualTo(1);
        assertThat(served()).isEqualTo(2);
    }

    /** Redis forgets the invalidation, and another reader has asked for the app since. */
    @Test
    void refillThatWasReadBeforeARestartIsRefused() {
        duringRead.set(() -> {
            stored.set(version(2));
            assertThat(apps.forget(APP, 2)).isTrue();
            restart();
            assertThat(served()).isZero();
        });
        assertThat(read(0)).isEqualTo(1);
        assertThat(served()).isZero();
        assertThat(read(0)).isEqualTo(2);
        assertThat(served()).isEqualTo(2);
    }

    @Test
    void refillOfAnEvictedEntryIsRefused() {
        duringRead.set(() -> {
            stored.set(version(2));
            assertThat(apps.forget(APP, 2)).isTrue();
            assertThat(client.del(KEY)).isEqualTo(1);
        });
        assertThat(read(0)).isEqualTo(1);
        assertThat(served()).isZero();
    }

    private void restart() {
        try {
            redis.kill();
            redis.restart();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        TestPlatform.await(() -> server.ask(RedisClient::ping).isPresent());
    }

    @Test
    void entryLivesNoLongerThanItsBoundAfterTheRead() {
        assertThat(served()).isZero();
        long now = Long.parseLong(client.hget(KEY, "since"));
        client.hset(KEY, "since", Long.toString(now - 60_000));
        assertThat(apps.store(version(1), Long.toString(now - BOUND.toMillis())))
                .as("a refill that is as late as the bound")
                .isFalse();
        assertThat(apps.store(version(1), Long.toString(now - BOUND.toMillis() + 10_000)))
                .isTrue();
        assertThat(client.pttl(KEY)).isBetween(1L, 10_000L);
        Read read = apps.read(APP, 0, this::find);
        assertThat(read.left()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(10));
        assertThat(reads).hasValue(0);
    }

    /** The first level knows how old an entry of the second is. */
    @Test
    void firstLevelShowsAnEntryNoLongerThanTheSecond() {
        assertThat(read(0)).isEqualTo(1);
        assertThat(client.pexpire(KEY, 300)).isEqualTo(1);
        AppCache node = node();
        assertThat(node.get(APP, 0)).contains(version(1));
        stored.set(version(2));
        long begin = System.nanoTime();
        TestPlatform.await(() -> node.get(APP, 0).orElseThrow().version() == 2);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BOUND);
    }

    /** Its event has not reached the second level yet. */
    @Test
    void nodeReadsWhatItHasWrittenAlsoAfterItHasForgottenEverything() {
        AppCache node = node();
        assertThat(node.get(APP, 0)).contains(version(1));
        stored.set(version(2));
        node.invalidate(APP, 2);
        node.clear();
        assertThat(served()).isEqualTo(1);
        assertThat(node.get(APP, 0)).contains(version(2));
    }

    @Test
    void deletedAppIsNotShared() {
        assertThat(apps.read(APP, 0, id -> Optional.empty()).app()).isEmpty();
        assertThat(read(0)).isEqualTo(1);
    }

    @Test
    void entryThatIsNoneOfOursIsReadFromTheDatabase() {
        client.set(KEY, "something else");
        assertThat(read(0)).isEqualTo(1);
        assertThat(log).hasSize(1);
        assertThat(log.get(0)).contains("cannot be used").contains("WRONGTYPE");
    }

    @Test
    void readsOfAKilledServerGoToTheDatabaseUntilItIsBack() throws Exception {
        assertThat(read(0)).isEqualTo(1);
        redis.kill();
        stored.set(version(2));
        assertThat(read(0)).isEqualTo(2);
        assertThat(apps.forget(APP, 2)).isFalse();
        redis.restart();
        TestPlatform.await(() -> read(0) == served());
        int before = reads.get();
        assertThat(read(0)).isEqualTo(2);
        assertThat(reads).hasValue(before);
        assertThat(log).hasSize(2);
        assertThat(log.get(1)).endsWith("is used again");
    }

    @Test
    void invalidationReachesAServerThatWasStartedAgain() throws Exception {
        assertThat(read(0)).isEqualTo(1);
        redis.kill();
        redis.restart();
        assertThat(apps.forget(APP, 2)).isTrue();
        try (RedisClient another = redis.client()) {
            assertThat(another.hget(KEY, "version")).isEqualTo("2");
        }
    }

    /** Only one read a second waits for a server that does not answer. */
    @Test
    void readsDoNotWaitForAServerThatIsSilent() throws Exception {
        assertThat(read(0)).isEqualTo(1);
        redis.pause();
        long begin = System.nanoTime();
        for (int i = 0; i < 1_000; i++) {
            assertThat(read(0)).isEqualTo(1);
        }
        // Each would wait for 300 ms.
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
        assertThat(log).hasSize(1);
        redis.goOn();
        TestPlatform.await(() -> server.ask(RedisClient::ping).isPresent());
        assertThat(served()).isEqualTo(1);
    }

    @Test
    void passwordIsUsedAndNotLogged() throws Exception {
        try (RedisFixture locked = RedisFixture.start("--requirepass", "secret")) {
            for (String password : new String[] {"secret", "not-secret"}) {
                List<String> said = new ArrayList<>();
                RedisAddress address =
                        RedisAddress.parse(locked.url().replace("redis://", "redis://:" + password + "@"));
                try (RedisServer entered = new RedisServer(address, said::add)) {
                    assertThat(entered.ask(RedisClient::ping).isPresent()).isEqualTo(password.equals("secret"));
                }
                assertThat(said).hasSize(password.equals("secret") ? 0 : 1).noneMatch(line -> line.contains("secret"));
            }
        }
    }
}
