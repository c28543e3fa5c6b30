package io.counterpoint.idempotency.consistency;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A mutex that is not free shows by a minute's wait, which is longer than the timeout. */
@Timeout(value = 50, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KeyedMutexTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final KeyedMutex<String> mutex = new KeyedMutex<>();

    @Test
    void callersOfOneKeyRunOneAfterTheOther() throws Exception {
        CompletableFuture<Void> firstIsDone = new CompletableFuture<>();
        FutureTask<Boolean> second = new FutureTask<>(() -> mutex.locked("a", LONG, firstIsDone::isDone));
        Thread caller = new Thread(second);

        mutex.locked("a", LONG, () -> {
            caller.start();
            while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            return firstIsDone.complete(null);
        });

        assertThat(second.get(30, SECONDS)).isTrue();
    }

    @Test
    void workReleasesTheMutexWhateverItThrows() {
        IllegalStateException thrown = new IllegalStateException();

        assertThatThrownBy(() -> mutex.locked("a", LONG, () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(mutex.<Integer, RuntimeException>locked("a", LONG, () -> 7)).isEqualTo(7);
    }

    @Test
    void callerThatHasTheMutexContinuesAfterItsLongestWait() {
        assertThat(mutex.<Integer, RuntimeException>locked(
                        "a", LONG, () -> mutex.locked("a", Duration.ofMillis(1), () -> 7)))
                .isEqualTo(7);
        assertThat(mutex.<Integer, RuntimeException>locked("a", LONG, () -> 8)).isEqualTo(8);
    }
}
