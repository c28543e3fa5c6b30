package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.GaleraFaults.Kind;
import io.counterpoint.idempotency.mariadb.GaleraMode.Answer;
import io.counterpoint.idempotency.testing.GaleraCluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers of one key are on all three nodes at once, while nodes are killed, paused, cut off, and join again. Each key has
 * one effect in the end, every answer is the record's, and nothing that was answered is lost.
 *
 * <p>The whole run is set by {@code galera.keys}, {@code galera.kills}, {@code galera.lanes} and {@code galera.seed}.
 */
@Tag("galera")
@Timeout(value = 3, unit = TimeUnit.HOURS)
class GaleraStormTest {

    private static final int LANES = Integer.getInteger("galera.lanes", 6);
    private static final int NODES = 3;
    /** Callers of each node at the end. The same ones of all nodes ask for the same keys in the same order. */
    private static final int ASKERS = 3;
    private static final List<GaleraMode> MODES = List.of(GaleraMode.values());
    private static final int KEYS = Integer.getInteger("galera.keys", 500);
    private static final int KILLS = Integer.getInteger("galera.kills", MODES.size());
    private static final long SEED = Long.getLong("galera.seed", System.nanoTime());

    private static GaleraCluster cluster;
    private static GaleraPools pools;

    private final GaleraHistory history = new GaleraHistory();
    private final AtomicInteger next = new AtomicInteger();

    @BeforeAll
    static void open() {
        cluster = GaleraCluster.start();
        pools = new GaleraPools(cluster, "");
        JdbiIdempotencyStore.of(pools.of(0), MariaDbDialect.galera()).createTableIfMissing();
        // No key of its own but a random one: a second effect shows, and is not refused by a conflict of two nodes.
        Jdbi.create(pools.of(0))
                .useHandle(handle -> handle.execute("CREATE TABLE effect (id char(36) NOT NULL PRIMARY KEY,"
                        + " key_value varchar(100) NOT NULL, caller char(36) NOT NULL, result char(36) NOT NULL)"));
        cluster.awaitWhole();
    }

    @AfterAll
    static void close() {
        pools.close();
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyKeyHasOneEffectAndOneAnswerOnAllNodes(GaleraMode mode) throws Exception {
        long start = System.nanoTime();
        GaleraFaults faults = new GaleraFaults(cluster, new Random(SEED + MODES.indexOf(mode)));
        long conflictsBefore = faults.conflicts();
        FutureTask<Void> striking = new FutureTask<>(
                () -> {
                    faults.strike(share(KILLS, mode), MODES.indexOf(mode));
                    faults.end();
                },
                null);
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (int lane = 0; lane < LANES; lane++) {
            callers.addAll(lane(mode, faults, striking));
        }
        callers.forEach(caller -> begin("caller", caller));
        begin("faults", striking);
        for (FutureTask<Void> caller : callers) {
            caller.get();
        }
        striking.get();
        long conflicts = faults.conflicts() - conflictsBefore;
        Map<String, Answer> last = lastAnswers(mode);
        System.out.printf(
                "Galera, %s, seed %d: %d keys, %d of them on several nodes, %d calls (%d results, %d failures, %d released,"
                        + " %d to ask again), %d conflicts of nodes, %s, %d s%n",
                mode,
                SEED,
                history.keys().size(),
                history.keysOnSeveralNodes(),
                history.calls(),
                history.calls(GaleraMode.Kind.RESULT),
                history.calls(GaleraMode.Kind.FAILURE),
                history.calls(GaleraMode.Kind.RELEASED),
                history.calls(GaleraMode.Kind.UNKNOWN),
                conflicts,
                faults,
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
        assertThat(history.faults(Jdbi.create(pools.of(0)), last)).isEmpty();
        assertThat(history.keys()).hasSizeGreaterThanOrEqualTo(share(KEYS, mode));
        assertThat(history.keysOnSeveralNodes() * 2)
                .isGreaterThanOrEqualTo(history.keys().size());
        assertThat(conflicts).isPositive();
        assertThat(faults.count(Kind.KILLED_AND_JOINED_WITH_EVERYTHING, Kind.KILLED_AND_JOINED_WITH_WHAT_IT_MISSED))
                .isEqualTo(share(KILLS, mode));
    }

    /** What one mode has of a number. */
    private static int share(int all, GaleraMode mode) {
        return all / MODES.size() + (MODES.indexOf(mode) < all % MODES.size() ? 1 : 0);
    }

    private static void begin(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** A caller on each node. They begin each key together. */
    private List<FutureTask<Void>> lane(GaleraMode mode, GaleraFaults faults, FutureTask<Void> striking) {
        int[] number = new int[1];
        CyclicBarrier together = new CyclicBarrier(
                NODES,
                () -> number[0] = next.get() >= share(KEYS, mode) && striking.isDone() ? -1 : next.getAndIncrement());
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            GaleraCaller caller = new GaleraCaller(mode, pools, node, history);
            callers.add(new FutureTask<>(() -> {
                try {
                    // Each comes back to the barrier when it is answered, so all read a number before there is another.
                    for (together.await(); number[0] >= 0; together.await()) {
                        caller.askUntilAnswered(number[0]);
                        faults.answered();
                    }
                    return null;
                } finally {
                    if (number[0] >= 0) {
                        // The others of the lane do not wait for a caller that has failed.
                        together.reset();
                    }
                }
            }));
        }
        return callers;
    }

    /** Asks all nodes for every key at once, past all faults. */
    private Map<String, Answer> lastAnswers(GaleraMode mode) throws Exception {
        List<String> keys = List.copyOf(history.keys());
        CyclicBarrier together = new CyclicBarrier(NODES * ASKERS);
        List<FutureTask<Map<String, Answer>>> askers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            Operation<Handle, String> operation =
                    mode.operation(JdbiIdempotencyStore.of(pools.of(node), MariaDbDialect.galera())
                            .checkTable());
            for (int asker = 0; asker < ASKERS; asker++) {
                List<String> its =
                        keys.subList(keys.size() * asker / ASKERS, keys.size() * (asker + 1) / ASKERS);
                askers.add(new FutureTask<>(() -> {
                    together.await();
                    return lastAnswers(mode, operation, its);
                }));
            }
        }
        askers.forEach(asker -> begin("asks at the end", asker));
        Map<String, Answer> last = new HashMap<>();
        for (FutureTask<Map<String, Answer>> asker : askers) {
            asker.get().forEach((key, answer) -> {
                Answer other = last.putIfAbsent(key, answer);
                if (other != null) {
                    assertThat(answer.kind()).as(key).isEqualTo(other.kind());
                    assertThat(answer.text()).as(key).isEqualTo(other.text());
                }
            });
        }
        return last;
    }

    private Map<String, Answer> lastAnswers(GaleraMode mode, Operation<Handle, String> operation, List<String> keys) {
        Map<String, Answer> last = new HashMap<>();
        for (String key : keys) {
            int number = Integer.parseInt(key.substring(key.indexOf('-') + 1));
            Answer answer;
            do {
                answer = mode.ask(operation, key, number);
                history.answered(key, answer);
            } while (!answer.isLast());
            last.put(key, answer);
        }
        return last;
    }
}
