package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

class RaceTest {

    @Test
    void resultsComeInTheOrderOfTheRunners() {
        assertThat(Race.of(8, i -> i * i)).extracting(Race.Result::orFail).containsExactly(0, 1, 4, 9, 16, 25, 36, 49);
    }

    @Test
    void runnersRunAtTheSameTime() {
        CyclicBarrier allAreHere = new CyclicBarrier(64);

        assertThat(Race.of(64, i -> allAreHere.await())).allMatch(Race.Result::succeeded);
    }

    @Test
    void whatOneThrowsIsItsResult() {
        IOException thrown = new IOException("mine");

        List<Race.Result<Integer>> results = Race.of(2, i -> {
            if (i == 1) {
                throw thrown;
            }
            return i;
        });

        assertThat(results.get(0).orFail()).isZero();
        assertThat(results.get(1).succeeded()).isFalse();
        assertThat(results.get(1).failure()).isSameAs(thrown);
        assertThatThrownBy(results.get(1)::orFail).hasCause(thrown);
    }

    @Test
    void runnerThatHangsIsShownAndInterrupted() throws Exception {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Race.Waiting untilOneHangs = done -> {
            hangs.await();
            while (done.getCount() > 1) {
                Thread.onSpinWait();
            }
            return false;
        };

        assertThatThrownBy(() -> Race.of(2, Duration.ofMinutes(1), untilOneHangs, i -> {
                    if (i == 1) {
                        waitIn(hangs, interrupted);
                    }
                    return i;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 of 2 runners")
                .hasStackTraceContaining("waitIn");
        interrupted.await();
    }

    private static void waitIn(CountDownLatch hangs, CountDownLatch interrupted) throws InterruptedException {
        try {
            hangs.countDown();
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw e;
        }
    }
}
