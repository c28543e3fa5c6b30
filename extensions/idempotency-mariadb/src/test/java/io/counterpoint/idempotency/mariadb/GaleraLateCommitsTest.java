package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.mariadb.GaleraFaults.Kind;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * COMMITs reach their node long after their caller has given up, and goes on at another node. That breaks no promise. The
 * same storm of the library with one rule missing has to break one, or it would prove nothing.
 */
@Tag("galera")
@Timeout(600)
class GaleraLateCommitsTest extends GaleraFixture {

    private static final int LANES = 4;
    private static final int KEYS = 16;
    private static final int LATE = 3;
    private static final int ROUNDS = 20;
    private static int rounds;

    private static List<String> brokenPromises(
            StormMode mode, int callers, IntUnaryOperator numbers, UnaryOperator<IdempotencyStore<Handle>> wrong)
            throws Exception {
        // Each round asks for new keys.
        int round = rounds++;
        GaleraFaults faults = new GaleraFaults(cluster, new Random(round));
        FutureTask<Void> delaying = new FutureTask<>(
                () -> {
                    faults.makeCommitsLate(LATE);
                    faults.end();
                },
                null);
        List<String> tooSoon = new ArrayList<>();
        Heartbeats heartbeats = new Heartbeats(StormMode.GRACE, how -> {
            synchronized (tooSoon) {
                tooSoon.add(how);
            }
        });
        Storm storm = new Storm(
                pools,
                new Storm.Plan(
                        mode,
                        KEYS,
                        LANES,
                        callers,
                        key -> numbers.applyAsInt(round * 100_000 + key),
                        true,
                        store -> heartbeats.over(wrong.apply(store))));
        storm.run(delaying, faults::answered);
        List<String> broken = new ArrayList<>(storm.brokenPromises());
        synchronized (tooSoon) {
            broken.addAll(tooSoon);
        }
        assertThat(faults.count(EnumSet.of(Kind.COMMIT_LATE))).isPositive();
        return broken;
    }

    @ParameterizedTest
    @EnumSource(
            names = {"EXTERNAL", "EXTERNAL_PLANNED"},
            mode = EnumSource.Mode.EXCLUDE)
    void lateCommitsBreakNoPromise(StormMode mode) throws Exception {
        assertThat(brokenPromises(mode, Storm.NODES, IntUnaryOperator.identity(), UnaryOperator.identity()))
                .isEmpty();
    }

    /** The storm in which a mutant shows. */
    @ParameterizedTest
    @EnumSource
    void sameWorkBreaksNoPromiseOfTheLibrary(GaleraMutant mutant) throws Exception {
        assertThat(brokenPromises(mutant.mode(), mutant.callers(), mutant::number, UnaryOperator.identity()))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void mutantIsCaught(GaleraMutant mutant) throws Exception {
        long start = System.nanoTime();
        List<String> broken = List.of();
        for (int i = 0; i < ROUNDS && broken.isEmpty(); i++) {
            broken = brokenPromises(mutant.mode(), mutant.callers(), mutant::number, mutant::over);
        }
        System.out.printf(
                "Galera, mutant %s: %d broken promises after %d s, such as %s%n",
                mutant,
                broken.size(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                broken.isEmpty() ? "none" : broken.get(0));
        assertThat(broken).isNotEmpty();
    }
}
