package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.ClusterNode;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.NodeCluster;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What happens to nodes while callers work, counted by kind.
 *
 * @param <K> the kinds
 */
abstract class StormFaults<K extends Enum<K>> {

    private static final int ANSWERS_MEANWHILE = 6;
    private static final int SECONDS_MEANWHILE = 20;

    private final Semaphore answers = new Semaphore(0);
    private final Map<K, Integer> counts = new TreeMap<>();

    /** A caller got an answer. */
    void answered() {
        answers.release();
    }

    /** Callers go on meanwhile. Where all of them wait for what has happened, this ends all the same. */
    final void awaitAnswers() {
        awaitAnswers(SECONDS_MEANWHILE);
    }

    final void awaitAnswers(int seconds) {
        answers.drainPermits();
        try {
            boolean unused = answers.tryAcquire(ANSWERS_MEANWHILE, seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The answer of each node's next COMMIT is lost. A cut that no commit has met is made by a later one. */
    final void loseAnswers(NodeCluster cluster, K lost) {
        for (ClusterNode node : cluster.nodes()) {
            if (node.proxy().hasCut()) {
                happened(lost);
            }
            node.proxy().heal();
            node.proxy().onNextStatement(sql -> sql.equalsIgnoreCase("COMMIT"), Cut.AFTER_ANSWER);
        }
        awaitAnswers();
    }

    final void happened(K kind) {
        counts.merge(kind, 1, Integer::sum);
    }

    final int count(Set<K> kinds) {
        return kinds.stream().mapToInt(kind -> counts.getOrDefault(kind, 0)).sum();
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
