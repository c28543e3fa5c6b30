package io.counterpoint.idempotency.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TurnsTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void callersOfOneThingGoOneAfterTheOther() {
        Turns turns = Turns.of(4, LONG);
        int[] counted = {0};
        List<Race.Result<Boolean>> results = Race.of(
                32,
                number -> turns.inTurn("thing", () -> {
                    // Nothing else keeps two from losing each other's counts.
                    for (int i = 0; i < 10_000; i++) {
                        counted[0]++;
                    }
                    return true;
                }));
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(counted[0]).isEqualTo(320_000);
    }

    /** One waits for the other inside its own turn, so both have to be at work. */
    @Test
    void callersOfOtherThingsDoNotWait() {
        Turns turns = Turns.of(1 << 16, LONG);
        CountDownLatch both = new CountDownLatch(2);
        List<Race.Result<Boolean>> results = Race.of(
                2,
                number -> turns.inTurn(number, () -> {
                    both.countDown();
                    both.await();
                    return true;
                }));
        assertThat(results).allMatch(Race.Result::succeeded);
    }

    @Test
    void callerWhoseTurnDoesNotComeGoesWithout() {
        Turns turns = Turns.of(1, Duration.ofMillis(1));
        CountDownLatch second = new CountDownLatch(1);
        List<Race.Result<Boolean>> results = Race.of(
                2,
                number -> turns.inTurn("thing", () -> {
                    if (second.getCount() == 1 && number == 0) {
                        second.await();
                    }
                    second.countDown();
                    return true;
                }));
        assertThat(results).allMatch(Race.Result::succeeded);
    }

    @Test
    void interruptEndsTheWaitAndIsKept() {
        Turns turns = Turns.of(1, LONG);
        Thread.currentThread().interrupt();
        turns.useTurn(
                "thing",
                () -> assertThat(Thread.currentThread().isInterrupted()).isTrue());
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatThrowsGivesItsTurnBack() throws InterruptedException {
        Turns turns = Turns.of(1, LONG);
        IllegalStateException thrown = new IllegalStateException();
        assertThatThrownBy(() -> turns.useTurn("thing", () -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
        AtomicInteger done = new AtomicInteger();
        Thread other = new Thread(() -> turns.useTurn("thing", done::incrementAndGet));
        other.start();
        other.join(10_000);
        assertThat(done).hasValue(1);
    }

    @Test
    void boundsAreChecked() {
        assertThatThrownBy(() -> assertThat(Turns.of(0, LONG)).isNull()).hasMessageContaining("found 0 and PT1M");
        assertThatThrownBy(() -> assertThat(Turns.of(1, LONG.negated())).isNull())
                .isInstanceOf(IllegalArgumentException.class);
    }
}
