package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PatroniCluster;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.torture.ClusterCallers.Round;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * PostgreSQL under Patroni with a synchronous standby, while callers of every protocol use it by the address of all its
 * nodes. No answer that was returned is lost, and no effect is doubled.
 *
 * <p>The system properties {@code rounds}, {@code keys}, {@code nodes} and {@code seed} say how often each fault strikes,
 * how many keys are answered before, during and after it, how large the cluster is, and where random sequences begin.
 * With {@code -Dsynchronous=false} no commit waits for a standby, and the test fails: answers are lost.
 */
@Tag("patroni")
@Timeout(value = 4, unit = TimeUnit.HOURS)
class PatroniTest {

    private static final int ROUNDS = Integer.getInteger("rounds", 1);
    private static final int KEYS = Integer.getInteger("keys", 200);
    private static final int NODES = Integer.getInteger("nodes", 2);
    private static final long SEED = Long.getLong("seed", System.currentTimeMillis() / 1_000);

    private static final boolean SYNCHRONOUS = Boolean.parseBoolean(System.getProperty("synchronous", "true"));

    private static final String NOT_SYNCHRONOUS = "no `synchronous_mode`: log held back, then `kill -9` of both";

    private static PatroniCluster cluster;
    private static PostgresServer effects;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        System.out.printf("Failovers with seed %d: %d nodes, %d rounds, %d keys.%n", SEED, NODES, ROUNDS, KEYS);
        System.out.println("| fault | rounds | keys | calls | unknown or not started | outage, median | outage, longest"
                + " | slowest key | lost | duplicates | other broken promises |");
        System.out.println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        effects = PostgresServer.start();
        cluster = PatroniCluster.start(NODES, SYNCHRONOUS);
    }

    @AfterAll
    static void end() {
        try {
            if (cluster != null) {
                cluster.close();
            }
        } finally {
            effects.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void answersOutliveTheFault(ClusterFault fault) throws IOException, InterruptedException {
        Verdict verdict = strike(cluster, fault, fault.toString());
        assertThat(verdict.examples()).as("broken promises: %s", verdict).isEmpty();
    }

    /** That the test above would notice lost answers: without a synchronous standby it has to find some. */
    @Test
    void answersLostByAnAsynchronousStandbyAreNoticed() throws IOException, InterruptedException {
        try (PatroniCluster asynchronous = PatroniCluster.start(2, false)) {
            Verdict verdict = strike(asynchronous, ClusterFault.LOG_HELD_BACK, NOT_SYNCHRONOUS);
            assertThat(verdict.count(Violation.FALSE_SUCCESS))
                    .as("lost results: %s", verdict)
                    .isPositive();
        }
    }

    private Verdict strike(PatroniCluster struck, ClusterFault fault, String name)
            throws IOException, InterruptedException {
        List<Round> rounds = new ArrayList<>();
        try (FaultLog faults = new FaultLog(folder.resolve("faults.log"));
                ClusterCallers callers =
                        new ClusterCallers(struck.jdbcUrl(), effects.jdbcUrl(), faults, Optional.empty())) {
            callers.begin(SEED);
            for (int round = 0; round < ROUNDS; round++) {
                callers.awaitKeys(KEYS);
                callers.beginRound();
                fault.strike(struck, () -> callers.awaitKeys(KEYS));
                callers.awaitKeys(KEYS);
                struck.awaitSynchronous();
                rounds.add(callers.endRound());
            }
            Verdict verdict = callers.endAndCheck();
            System.out.println(row(name, rounds, callers, verdict));
            return verdict;
        }
    }

    private static String row(String fault, List<Round> rounds, ClusterCallers callers, Verdict verdict) {
        List<Duration> outages = rounds.stream().map(Round::outage).sorted().toList();
        int lost = verdict.count(Violation.FALSE_SUCCESS) + verdict.count(Violation.FORGOTTEN_FAILURE);
        int duplicates = verdict.count(Violation.DUPLICATE);
        return String.format(
                Locale.ROOT,
                "| %s | %d | %,d | %,d | %,d | %s | %s | %s | %d | %d | %d |",
                fault,
                rounds.size(),
                callers.keys(),
                callers.calls(),
                callers.calls(Answer.UNKNOWN, Answer.NOT_STARTED),
                seconds(outages.get(outages.size() / 2)),
                seconds(outages.get(outages.size() - 1)),
                seconds(rounds.stream()
                        .map(Round::slowest)
                        .max(Duration::compareTo)
                        .orElseThrow()),
                lost,
                duplicates,
                verdict.total() - lost - duplicates);
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
    }
}
