package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.mariadb.GaleraFaults.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Callers of one key are on all three nodes at once, while nodes are killed, paused, cut off, and join again. Meanwhile
 * all nodes purge. Each key has one effect in the end, every answer is the record's, and nothing that was answered is
 * lost.
 *
 * <p>The whole run is set by {@code galera.keys}, {@code galera.kills}, {@code galera.lanes}, {@code galera.modes} and
 * {@code galera.seed}.
 */
@Tag("galera")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class GaleraStormTest extends GaleraFixture {

    private static final int LANES = Integer.getInteger("galera.lanes", 6);
    private static final List<StormMode> MODES = modes();
    private static final int KEYS = Integer.getInteger("galera.keys", 500);
    private static final int KILLS = Integer.getInteger("galera.kills", MODES.size());
    private static final long SEED = Long.getLong("galera.seed", System.nanoTime());

    static List<StormMode> modes() {
        String names = System.getProperty("galera.modes", "");
        return names.isEmpty()
                ? List.of(StormMode.values())
                : Arrays.stream(names.split(",")).map(StormMode::valueOf).toList();
    }

    @ParameterizedTest
    @MethodSource("modes")
    void everyKeyHasOneEffectAndOneAnswerOnAllNodes(StormMode mode) throws Exception {
        long start = System.nanoTime();
        Storm storm = new Storm(
                pools,
                new Storm.Plan(
                        mode,
                        share(KEYS, mode),
                        LANES,
                        Storm.NODES,
                        IntUnaryOperator.identity(),
                        false,
                        UnaryOperator.identity()));
        StormHistory history = storm.history();
        GaleraFaults faults = new GaleraFaults(cluster, new Random(SEED + MODES.indexOf(mode)));
        long conflictsBefore = faults.conflicts();
        AtomicLong ofCalls = new AtomicLong();
        List<GaleraPurger> purgers = new ArrayList<>();
        FutureTask<Void> striking = new FutureTask<>(
                () -> {
                    ofCalls.set(faults.awaitConflicts());
                    purgers.forEach(purger -> Storm.begin("purges", purger));
                    faults.strike(share(KILLS, mode), MODES.indexOf(mode));
                    faults.end();
                },
                null);
        for (int node = 0; node < Storm.NODES; node++) {
            purgers.add(new GaleraPurger(pools.of(node), striking));
        }
        storm.run(striking, faults::answered);
        long conflicts = faults.conflicts() - conflictsBefore;
        List<String> broken = storm.brokenPromises();
        long purged = 0;
        for (GaleraPurger purger : purgers) {
            purged += purger.purged();
        }
        System.out.printf(
                "Galera, %s, seed %d: %d keys, %d of them on several nodes, %d calls (%d results, %d failures, %d released,"
                        + " %d in progress, %d to ask again), %d conflicts of nodes, %d of them before any purge, %d purged, %s, %d s%n",
                mode,
                SEED,
                history.keys().size(),
                history.keysOnSeveralNodes(),
                history.calls(),
                history.calls(StormAnswer.Kind.RESULT),
                history.calls(StormAnswer.Kind.FAILURE),
                history.calls(StormAnswer.Kind.RELEASED),
                history.calls(StormAnswer.Kind.IN_PROGRESS),
                history.calls(StormAnswer.Kind.UNKNOWN),
                conflicts,
                ofCalls.get(),
                purged,
                faults,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
        assertThat(broken).isEmpty();
        assertThat(history.keys()).hasSizeGreaterThanOrEqualTo(share(KEYS, mode));
        assertThat(history.keysOnSeveralNodes() * 2)
                .isGreaterThanOrEqualTo(history.keys().size());
        // Purges of several nodes meet each other too: these conflicts are none of theirs.
        assertThat(ofCalls).hasPositiveValue();
        assertThat(purged).isPositive();
        assertThat(faults.count(
                        EnumSet.of(Kind.KILLED_AND_JOINED_WITH_EVERYTHING, Kind.KILLED_AND_JOINED_WITH_WHAT_IT_MISSED)))
                .isEqualTo(share(KILLS, mode));
    }

    /** What one mode has of a number. */
    private static int share(int all, StormMode mode) {
        int at = MODES.indexOf(mode);
        return all / MODES.size() + (at < all % MODES.size() ? 1 : 0);
    }
}
