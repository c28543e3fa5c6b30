package io.counterpoint.idempotency.consistency.invalidation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache whose source says what the test wants, in front of which time stands still unless the test moves it. */
class VersionedCacheTest {

    private static final Duration BOUND = Duration.ofSeconds(30);

    private final AtomicReference<Optional<Long>> stored = new AtomicReference<>(Optional.of(1L));
    private final AtomicReference<Runnable> duringRead = new AtomicReference<>(() -> {});
    private final AtomicInteger reads = new AtomicInteger();
    private Instant now = Instant.EPOCH;
    private Instant wallTime = Instant.EPOCH;
    private final IdempotencyClock clock = new IdempotencyClock() {
        @Override
        public Instant now() {
            return now;
        }

        @Override
        public Instant wallTime() {
            return wallTime;
        }

        @Override
        public void sleep(Duration pause) {
            throw new AssertionError("A cache does not wait.");
        }
    };
    private final VersionedCache<Long> cache = cache(2);

    private VersionedCache<Long> cache(int most) {
        return VersionedCache.of(most, BOUND, Long::longValue, this::find).with(clock);
    }

    /** What the source says now; another happens before the answer is there. */
    private Optional<Long> find(String id) {
        reads.incrementAndGet();
        Optional<Long> read = stored.get();
        duringRead.getAndSet(() -> {}).run();
        return read;
    }

    private void store(long version) {
        stored.set(Optional.of(version));
    }

    @Test
    void valueIsKeptUntilItsInvalidation() {
        assertThat(cache.get("a")).contains(1L);
        store(2);
        assertThat(cache.get("a")).contains(1L);
        cache.invalidate("b", 2);
        assertThat(cache.get("a")).contains(1L);
        cache.invalidate("a", 2);
        assertThat(cache.get("a")).contains(2L);
        assertThat(cache.get("a")).contains(2L);
        assertThat(reads).hasValue(2);
    }

    /** A monotonic timer may stand still while the machine is suspended, and the wall clock may be set back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void valueIsShownNoLongerThanTheBoundAfterItsReadBegan(boolean byTheWall) {
        duringRead.set(() -> pass(byTheWall, Duration.ofSeconds(10)));
        assertThat(cache.get("a")).contains(1L);
        store(2);
        pass(byTheWall, Duration.ofSeconds(20).minusNanos(1));
        assertThat(cache.get("a")).contains(1L);
        pass(byTheWall, Duration.ofNanos(1));
        assertThat(cache.get("a")).contains(2L);
    }

    private void pass(boolean byTheWall, Duration time) {
        if (byTheWall) {
            wallTime = wallTime.plus(time);
        } else {
            now = now.plus(time);
            wallTime = wallTime.minus(time);
        }
    }

    @Test
    void lateInvalidationForgetsNothingNewer() {
        store(3);
        assertThat(cache.get("a")).contains(3L);
        store(4);
        cache.invalidate("a", 2);
        cache.invalidate("a", 3);
        assertThat(cache.get("a")).contains(3L);
        cache.invalidate("a", 4);
        assertThat(cache.get("a")).contains(4L);
    }

    static Stream<Consumer<VersionedCache<Long>>> valueThatWasReadBeforeIsNotStoredAfterIt() {
        return Stream.of(
                cache -> cache.invalidate("a", 2),
                cache -> cache.invalidate("a", Invalidation.ANY),
                VersionedCache::clear,
                // Others push out the entry, and with it what the invalidation has said.
                cache -> {
                    cache.invalidate("a", 2);
                    assertThat(cache.get("b")).isPresent();
                    assertThat(cache.get("c")).isPresent();
                },
                cache -> assertThat(cache.get("a")).contains(2L));
    }

    @ParameterizedTest
    @MethodSource
    void valueThatWasReadBeforeIsNotStoredAfterIt(Consumer<VersionedCache<Long>> meanwhile) {
        duringRead.set(() -> {
            store(2);
            meanwhile.accept(cache);
        });
        assertThat(cache.get("a")).contains(1L);
        assertThat(cache.get("a")).contains(2L);
    }

    @Test
    void valueThatIsGoneIsNotShownAgainByASlowReader() {
        duringRead.set(() -> {
            stored.set(Optional.empty());
            assertThat(cache.get("a")).isEmpty();
        });
        assertThat(cache.get("a")).contains(1L);
        assertThat(cache.get("a")).isEmpty();
    }

    @Test
    void readerGetsAtLeastTheVersionThatItKnowsAndTheOthersGetItToo() {
        assertThat(cache.get("a", 1)).contains(1L);
        store(2);
        assertThat(cache.get("a", 1)).contains(1L);
        assertThat(cache.get("a", 2)).contains(2L);
        assertThat(cache.get("a")).contains(2L);
        store(3);
        assertThat(cache.read("a")).contains(3L);
        assertThat(cache.get("a")).contains(3L);
        assertThat(reads).hasValue(3);
    }

    @Test
    void entryThatWasUsedLastIsKept() {
        assertThat(cache.get("a")).contains(1L);
        assertThat(cache.get("b")).contains(1L);
        assertThat(cache.get("a")).contains(1L);
        assertThat(cache.get("c")).contains(1L);
        store(2);
        assertThat(cache.get("a")).contains(1L);
        assertThat(cache.get("b")).contains(2L);
    }

    @Test
    void valuesWithoutVersionsAreForgottenByAnyInvalidation() {
        VersionedCache<Long> unversioned = VersionedCache.of(2, BOUND, value -> 0, this::find);
        assertThat(unversioned.get("a")).contains(1L);
        store(2);
        assertThat(unversioned.get("a")).contains(1L);
        unversioned.invalidate("a", Invalidation.ANY);
        assertThat(unversioned.get("a")).contains(2L);
    }

    @Test
    void cacheWithoutRoomOrTimeIsRefused() {
        assertThatThrownBy(() -> cache(0)).hasMessageContaining("found 0");
        assertThatThrownBy(() -> VersionedCache.of(1, Duration.ZERO, Long::longValue, this::find))
                .hasMessageContaining("found PT0S");
    }
}
