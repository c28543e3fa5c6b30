package io.counterpoint.idempotency.internal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeyedPermitsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int DUPLICATES = 30;

    private final KeyedPermits<String> permits = new KeyedPermits<>();
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void release() {
        callers.shutdownNow();
    }

    @Test
    void freeKeyIsAcquiredAtOnceAndForgottenAfterwards() {
        KeyedPermits<String>.Permit permit = permits.acquire("a", Duration.ZERO);
        assertThat(permit.hasPredecessor()).isFalse();
        assertThat(permits.size()).isEqualTo(1);
        permit.release();
        assertThat(permits.size()).isZero();
    }

    @Test
    void callersOfOneKeyGoOneAfterTheOther() throws Exception {
        AtomicInteger present = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        KeyedPermits<String>.Permit first = permits.acquire("a", LONG);
        for (int i = 0; i < DUPLICATES; i++) {
            AtomicReference<Thread> caller = new AtomicReference<>();
            all.add(callers.submit(() -> {
                caller.set(Thread.currentThread());
                KeyedPermits<String>.Permit permit = permits.acquire("a", LONG);
                boolean alone = present.incrementAndGet() == 1;
                present.decrementAndGet();
                permit.release();
                return alone && permit.hasPredecessor();
            }));
            awaitParked(caller);
        }
        assertThat(present).hasValue(0);
        first.release();
        for (Future<Boolean> caller : all) {
            assertThat(caller.get(30, SECONDS)).isTrue();
        }
        assertThat(permits.size()).isZero();
    }

    @Test
    void keysDoNotWaitForEachOther() {
        KeyedPermits<String>.Permit one = permits.acquire("a", LONG);
        KeyedPermits<String>.Permit other = permits.acquire("b", LONG);
        assertThat(other.hasPredecessor()).isFalse();
        one.release();
        other.release();
        assertThat(permits.size()).isZero();
    }

    @Test
    void callerWithoutAPermitReleasesNone() {
        KeyedPermits<String>.Permit first = permits.acquire("a", LONG);
        KeyedPermits<String>.Permit impatient = permits.acquire("a", Duration.ofMillis(1));
        assertThat(impatient.hasPredecessor()).isTrue();
        impatient.release();
        KeyedPermits<String>.Permit another = permits.acquire("a", Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
        assertThat(permits.size()).isZero();
    }

    @Test
    void interruptedCallerContinuesAndStaysInterrupted() throws Exception {
        KeyedPermits<String>.Permit first = permits.acquire("a", LONG);
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<Boolean> waiter = callers.submit(() -> {
            thread.set(Thread.currentThread());
            permits.acquire("a", LONG).release();
            return Thread.interrupted();
        });
        awaitParked(thread);
        thread.get().interrupt();
        assertThat(waiter.get(30, SECONDS)).isTrue();
        KeyedPermits<String>.Permit another = permits.acquire("a", Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
    }

    /** Until the thread waits for a permit. */
    private static void awaitParked(AtomicReference<Thread> thread) {
        while (thread.get() == null || thread.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
