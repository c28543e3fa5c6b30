package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows with a delay: all of it, once, and never backwards. */
@Tag("thorough")
class FollowersTest {

    private static final UUID APP = UUID.randomUUID();

    private final AtomicReference<AppCache.App> stored = new AtomicReference<>(version(1));
    private final AtomicLong now = new AtomicLong();
    private final AppCache cache = new AppCache(id -> Optional.of(stored.get()), now::get);

    private static AppCache.App version(long version) {
        return new AppCache.App(APP, 1, "app", "draft", "none", version);
    }

    private long read() {
        return cache.get(APP, 0).orElseThrow().version();
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrAppliedTwiceUnderLoad(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.empty(kind)) {
            assertThat(load(test, 20, 40)).hasSize(20);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("execution_log")).isEqualTo(40 * 4);
            test.platform.forgetLags();
            assertThat(load(test, 30, 110)).hasSize(30);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("execution_log")).isEqualTo(600);
            // A worker adds what it has measured after it has written.
            TestPlatform.await(() -> test.platform.lags().stream().allMatch(lag -> lag.events() > 0));

            test.platform
                    .lags()
                    .forEach(lag -> System.out.printf(
                            "%s on %s: %d followed, behind by at most %d ms of %d ms%n",
                            lag.bound().part(),
                            kind,
                            lag.events(),
                            lag.worst().toMillis(),
                            lag.bound().lag().toMillis()));
            // The bounds are those of a machine that has nothing else to do; this one may be slow.
            assertThat(test.platform.lags()).allMatch(lag -> lag.isWithin(10));
            assertThat(test.one("SELECT sum(executions) FROM usage_window")).isEqualTo("150");
            assertThat(test.platform.search().compare()).isZero();
            assertThat(test.client
                            .get(test.url() + "/search?q=APP%2030-7", 1, List.of())
                            .path("apps"))
                    .hasSize(1);
            assertThat(test.client.get(test.url() + "/lags", 1, List.of())).hasSize(5);
        }
    }

    /** Creates apps, and triggers executions of them. */
    private static List<Answer> load(TestPlatform test, int number, int executions) throws Exception {
        List<Answer> apps = test.client.send(
                test.url(),
                IntStream.range(0, number)
                        .mapToObj(i -> new Request(
                                "/apps",
                                1,
                                List.of("Idempotency-Key", number + "-" + i),
                                Map.of("name", "app " + number + "-" + i)))
                        .toList());
        List<Answer> triggered = test.client.send(
                test.url(),
                IntStream.range(0, executions)
                        .mapToObj(i -> new Request(
                                "/executions",
                                1,
                                List.of(),
                                Map.of(
                                        "app",
                                        apps.get(i % number).body().path("app").asText())))
                        .toList());
        assertThat(triggered).extracting(Answer::status).containsOnly(202);
        return apps;
    }

    @Test
    void refillThatWasReadBeforeTheInvalidationIsNotStoredAfterIt() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        AppCache slow = new AppCache(
                id -> {
                    AppCache.App read = stored.get();
                    meanwhile.getAndSet(() -> {}).run();
                    return Optional.of(read);
                },
                now::get);
        meanwhile.set(() -> {
            stored.set(version(2));
            slow.invalidate(APP, 2);
        });
        assertThat(slow.get(APP, 0).orElseThrow().version()).isEqualTo(1);
        assertThat(slow.get(APP, 0).orElseThrow().version()).isEqualTo(2);
    }

    /** A process that was not connected has missed the invalidation of what it was reading. */
    @Test
    void refillThatWasReadBeforeEverythingWasForgottenCountsNoMore() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        AppCache slow = new AppCache(
                id -> {
                    AppCache.App read = stored.get();
                    meanwhile.getAndSet(() -> {}).run();
                    return Optional.of(read);
                },
                now::incrementAndGet);
        meanwhile.set(() -> {
            stored.set(version(2));
            slow.clear();
        });
        assertThat(slow.get(APP, 0).orElseThrow().version()).isEqualTo(1);
        assertThat(slow.get(APP, 0).orElseThrow().version()).isEqualTo(2);
    }

    @Test
    void entryIsKeptUntilItsInvalidationAndNoLongerThanItsBound() {
        assertThat(read()).isEqualTo(1);
        stored.set(version(2));
        assertThat(read()).isEqualTo(1);
        cache.invalidate(APP, 2);
        assertThat(read()).isEqualTo(2);
        stored.set(version(3));
        now.addAndGet(AppCache.BOUND.lag().toNanos());
        assertThat(read()).isEqualTo(3);
    }

    @Test
    void lateInvalidationOfAnOlderVersionForgetsNothing() {
        stored.set(version(3));
        assertThat(read()).isEqualTo(3);
        stored.set(version(4));
        cache.invalidate(APP, 2);
        assertThat(read()).isEqualTo(3);
    }
}
