package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What happens to nodes while callers work: one node at a time, so that two others are a majority. */
final class GaleraFaults {

    private static final int ANSWERS_MEANWHILE = 6;
    private static final int SECONDS_MEANWHILE = 20;
    private static final int WAITS_FOR_CONFLICTS = 20;
    private static final int SECONDS_TO_A_LATE_COMMIT = 4;

    /** What can happen to a node. */
    enum Kind {
        KILLED_AND_JOINED_WITH_WHAT_IT_MISSED,
        KILLED_AND_JOINED_WITH_EVERYTHING,
        PAUSED,
        CUT_OFF_FROM_THE_OTHERS,
        CUT_OFF_FROM_ITS_CALLERS,
        ANSWER_OF_A_COMMIT_LOST,
        COMMIT_LATE
    }

    private final GaleraCluster cluster;
    private final Random random;
    private final Semaphore answers = new Semaphore(0);
    private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
    private long conflicts;

    GaleraFaults(GaleraCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    /** A caller got an answer. */
    void answered() {
        answers.release();
    }

    /** Waits until callers on different nodes have met, and returns how often they had. Nothing else happens meanwhile. */
    long awaitConflicts() {
        long before = conflicts();
        long met = 0;
        for (int i = 0; i < WAITS_FOR_CONFLICTS && met == 0; i++) {
            awaitAnswers();
            met = conflicts() - before;
        }
        return met;
    }

    /** As many kills, and one other fault after each. A copy of everything takes long, so one join in five asks for it. */
    void strike(int kills, int offset) {
        for (int i = 0; i < kills; i++) {
            strike(
                    (offset + i) % 5 == 0
                            ? Kind.KILLED_AND_JOINED_WITH_EVERYTHING
                            : Kind.KILLED_AND_JOINED_WITH_WHAT_IT_MISSED);
            loseAnswers();
            strike(Kind.values()[2 + (offset + i) % 3]);
            loseAnswers();
        }
    }

    /** A cut that no commit has met is made by a later one. */
    private void loseAnswers() {
        for (GaleraNode node : cluster.nodes()) {
            if (node.proxy().hasCut()) {
                counts.merge(Kind.ANSWER_OF_A_COMMIT_LOST, 1, Integer::sum);
            }
            node.proxy().heal();
            node.proxy().onNextStatement(sql -> sql.equalsIgnoreCase("COMMIT"), Cut.AFTER_ANSWER);
        }
        awaitAnswers();
    }

    /**
     * On each node a COMMIT gets no answer, and reaches its node after all when other callers were answered.
     */
    void makeCommitsLate(int times) {
        for (int i = 0; i < times; i++) {
            for (GaleraNode node : cluster.nodes()) {
                node.proxy().onNextStatement(sql -> sql.equalsIgnoreCase("COMMIT"), Cut.LATE);
            }
            awaitAnswers(SECONDS_TO_A_LATE_COMMIT);
            for (GaleraNode node : cluster.nodes()) {
                if (node.proxy().hasCut()) {
                    counts.merge(Kind.COMMIT_LATE, 1, Integer::sum);
                }
                node.proxy().heal();
            }
        }
    }

    private void strike(Kind kind) {
        GaleraNode node = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
        switch (kind) {
            case KILLED_AND_JOINED_WITH_WHAT_IT_MISSED, KILLED_AND_JOINED_WITH_EVERYTHING -> {
                conflicts += node.conflicts();
                node.kill();
                awaitAnswers();
                if (kind == Kind.KILLED_AND_JOINED_WITH_EVERYTHING) {
                    node.joinWithEverything();
                } else {
                    node.joinWithWhatItMissed();
                }
            }
            case PAUSED -> {
                node.pause();
                awaitAnswers();
                node.resume();
            }
            case CUT_OFF_FROM_THE_OTHERS -> {
                node.isolate();
                awaitAnswers();
                node.endIsolation();
            }
            case CUT_OFF_FROM_ITS_CALLERS -> {
                node.proxy().goAway();
                awaitAnswers();
                node.proxy().heal();
            }
            default -> throw new IllegalArgumentException("Not of a node: " + kind);
        }
        counts.merge(kind, 1, Integer::sum);
        cluster.awaitWhole();
        awaitAnswers();
    }

    /** Callers go on meanwhile. Where all of them wait for what has happened, this ends all the same. */
    private void awaitAnswers() {
        awaitAnswers(SECONDS_MEANWHILE);
    }

    private void awaitAnswers(int seconds) {
        answers.drainPermits();
        try {
            boolean unused = answers.tryAcquire(ANSWERS_MEANWHILE, seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    void end() {
        cluster.nodes().forEach(node -> node.proxy().heal());
        cluster.awaitWhole();
    }

    /** Transactions that met one of another node, on all nodes, so far. What a node counted after its last kill is in it. */
    long conflicts() {
        return conflicts
                + cluster.nodes().stream().mapToLong(GaleraNode::conflicts).sum();
    }

    int count(Kind... kinds) {
        return Arrays.stream(kinds)
                .mapToInt(kind -> counts.getOrDefault(kind, 0))
                .sum();
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }
}
