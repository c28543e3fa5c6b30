package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.util.Random;

/** What happens to nodes while callers work: one node at a time, so that two others are a majority. */
final class GaleraFaults extends StormFaults<GaleraFaults.Kind> {

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
    private long conflicts;

    GaleraFaults(GaleraCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
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
            loseAnswers(cluster, Kind.ANSWER_OF_A_COMMIT_LOST);
            strike(Kind.values()[2 + (offset + i) % 3]);
            loseAnswers(cluster, Kind.ANSWER_OF_A_COMMIT_LOST);
        }
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
                    happened(Kind.COMMIT_LATE);
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
        happened(kind);
        cluster.awaitWhole();
        awaitAnswers();
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
}
