package io.counterpoint.idempotency.spi;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
class KeyedMutexTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int DUPLICATES = 30;

    private final KeyedMutex<String> mutex = new KeyedMutex<>();
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void release() {
        callers.shutdownNow();
    }

    @Test
    void freeKeyIsAcquiredAtOnceAndForgottenAfterwards() {
        KeyedMutex<String>.Permit permit = mutex.acquire("a", Duration.ZERO);
        assertThat(permit.hasPredecessor()).isFalse();
        assertThat(mutex.size()).isEqualTo(1);
        permit.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void callersOfOneKeyGoOneAfterTheOther() throws Exception {
        AtomicInteger present = new AtomicInteger();
        List<Future<Boolean>> all = new ArrayList<>();
        KeyedMutex<String>.Permit first = mutex.acquire("a", LONG);
        for (int i = 0; i < DUPLICATES; i++) {
            AtomicReference<Thread> caller = new AtomicReference<>();
            all.add(callers.submit(() -> {
                caller.set(Thread.currentThread());
                KeyedMutex<String>.Permit permit = mutex.acquire("a", LONG);
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
        assertThat(mutex.size()).isZero();
    }

    @Test
    void keysDoNotWaitForEachOther() {
        KeyedMutex<String>.Permit one = mutex.acquire("a", LONG);
        KeyedMutex<String>.Permit other = mutex.acquire("b", LONG);
        assertThat(other.hasPredecessor()).isFalse();
        one.release();
        other.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void callerWithoutAPermitReleasesNone() {
        KeyedMutex<String>.Permit first = mutex.acquire("a", LONG);
        KeyedMutex<String>.Permit impatient = mutex.acquire("a", Duration.ofMillis(1));
        assertThat(impatient.hasPredecessor()).isTrue();
        impatient.release();
        KeyedMutex<String>.Permit another = mutex.acquire("a", Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
        assertThat(mutex.size()).isZero();
    }

    @Test
    void interruptedCallerContinuesAndStaysInterrupted() throws Exception {
        KeyedMutex<String>.Permit first = mutex.acquire("a", LONG);
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<Boolean> waiter = callers.submit(() -> {
            thread.set(Thread.currentThread());
            mutex.acquire("a", LONG).release();
            return Thread.interrupted();
        });
        awaitParked(thread);
        thread.get().interrupt();
        assertThat(waiter.get(30, SECONDS)).isTrue();
        KeyedMutex<String>.Permit another = mutex.acquire("a", Duration.ZERO);
        assertThat(another.hasPredecessor()).isTrue();
        another.release();
        first.release();
    }

    @Test
    void lockedWorkHasThePermitAndReleasesItWhateverItThrows() {
        IllegalStateException thrown = new IllegalStateException();
        assertThatThrownBy(() -> mutex.locked("a", LONG, () -> {
                    assertThat(mutex.size()).isEqualTo(1);
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(mutex.size()).isZero();
        assertThat(mutex.<Integer, RuntimeException>locked("a", LONG, () -> 7)).isEqualTo(7);
        assertThat(mutex.size()).isZero();
    }

    @Test
    void callerThatHasThePermitContinuesWithoutASecondOne() {
        assertThat(mutex.<Integer, RuntimeException>locked(
                        "a", LONG, () -> mutex.locked("a", Duration.ofMillis(1), () -> 7)))
                .isEqualTo(7);
        assertThat(mutex.size()).isZero();
    }

    /** Until the thread waits for a permit. */
    private static void awaitParked(AtomicReference<Thread> thread) {
        while (thread.get() == null || thread.get().getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
    }
}
