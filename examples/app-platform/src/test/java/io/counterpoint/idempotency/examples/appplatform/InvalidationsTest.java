package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two processes with a cache each. Time stands still, so no entry is forgotten because of its age. */
class InvalidationsTest {

    private static final UUID APP = UUID.randomUUID();
    private static final String LISTENERS =
            "pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";

    private final AtomicLong stored = new AtomicLong(1);
    private final AtomicLong now = new AtomicLong();
    private final AppCache cache = new AppCache(
            id -> Optional.of(new AppCache.App(APP, 1, "app", "draft", "none", stored.get())), now::incrementAndGet);
    private final Semaphore heard = new Semaphore(0);
    private Database listening;
    private Database writing;
    private Invalidations there;

    @BeforeEach
    void listen() throws Exception {
        DatabaseAddress address = new DatabaseAddress(PostgresServer.shared().createDatabase(), "", "");
        listening = Database.connect(address);
        writing = Database.connect(address);
        there = listening.invalidations(cache, line -> {
            if (line.equals("listening")) {
                heard.release();
            }
        });
        there.start();
        heard.acquire();
        assertThat(read()).isEqualTo(1);
    }

    @AfterEach
    void close() throws Exception {
        there.close();
        listening.close();
        writing.close();
    }

    private long count(String from) {
        return writing.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM " + from)
                        .mapTo(Long.class)
                        .one());
    }

    private long read() {
        return cache.get(APP, 0).orElseThrow().version();
    }

    @Test
    void cacheOfAnotherProcessForgetsAtOnce() {
        stored.set(2);
        assertThat(read()).isEqualTo(1);
        writing.invalidations(cache, line -> {}).tell(APP, 2);
        TestPlatform.await(() -> read() == 2);
    }

    @Test
    void processThatWasNotConnectedForgetsEverything() throws Exception {
        stored.set(2);
        assertThat(read()).isEqualTo(1);
        assertThat(count("(SELECT pg_terminate_backend(pid) FROM " + LISTENERS + ") terminated"))
                .isEqualTo(1);
        heard.acquire();
        assertThat(read()).isEqualTo(2);
        stored.set(3);
        assertThat(read()).isEqualTo(2);
        writing.invalidations(cache, line -> {}).tell(APP, 3);
        TestPlatform.await(() -> read() == 3);
    }

    @Test
    void everyProcessThatListensForgets() throws Exception {
        AtomicLong time = new AtomicLong();
        AppCache another = new AppCache(
                id -> Optional.of(new AppCache.App(APP, 1, "app", "draft", "none", stored.get())),
                time::incrementAndGet);
        try (Invalidations also = writing.invalidations(another, line -> {
            if (line.equals("listening")) {
                heard.release();
            }
        })) {
            also.start();
            heard.acquire();
            assertThat(another.get(APP, 0).orElseThrow().version()).isEqualTo(1);
            stored.set(2);
            writing.invalidations(cache, line -> {}).tell(APP, 2);
            TestPlatform.await(() -> read() == 2);
            TestPlatform.await(() -> another.get(APP, 0).orElseThrow().version() == 2);
        }
    }

    /** One of the nodes gets the event of a change, whichever it is. The other hears of it. */
    @Test
    void nodesThatDidNotGetTheEventReadTheChangeBeforeTheirEntryIsOld() throws Exception {
        Platform.Times never = new Platform.Times(Duration.ofHours(1), Duration.ofMinutes(1), Duration.ofHours(1));
        try (TestPlatform test = TestPlatform.empty(TestPlatform.On.POSTGRESQL);
                Database connections = Database.connect(test.address);
                Platform other = new Platform(connections, TestPlatform.outside(), never, step -> {}, line -> {})) {
            other.start();
            List<UUID> apps = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                apps.add(test.platform
                        .createApp()
                        .execute(Attempt.in("workspace:1").key("k" + i).request(), 1, "app " + i)
                        .orElseThrow());
            }
            TestPlatform.await(test.platform::isQuiet);
            long begin = System.nanoTime();
            for (UUID app : apps) {
                for (Platform node : List.of(test.platform, other)) {
                    assertThat(node.cache().get(app, 0).orElseThrow().status()).isEqualTo("draft");
                }
            }
            for (UUID app : apps) {
                assertThat(test.platform.publishApp().execute(1, app)).isInstanceOf(Transition.Moved.class);
            }
            for (UUID app : apps) {
                for (Platform node : List.of(test.platform, other)) {
                    TestPlatform.await(() ->
                            node.cache().get(app, 0).orElseThrow().status().equals("published"));
                }
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("after its bound an entry is read again in any case")
                    .isLessThan(AppCache.BOUND.lag());
        }
    }
}
