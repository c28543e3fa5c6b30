package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.GroupCluster;
import io.counterpoint.idempotency.testing.GroupNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** What happens to the primary of a group while callers work. Afterwards every node is a member again. */
final class GroupFaults extends StormFaults<GroupFaults.Kind> {

    /** What can happen to the primary. */
    enum Kind {
        KILLED,
        PAUSED,
        CUT_OFF_FROM_THE_OTHERS,
        SWITCHED_OVER,
        ANSWER_OF_A_COMMIT_LOST
    }

    private final GroupCluster cluster;
    private final Map<Kind, List<Long>> outages = new EnumMap<>(Kind.class);
    private long lastAnswer = System.nanoTime();
    private long outage;

    GroupFaults(GroupCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    synchronized void answered() {
        long now = System.nanoTime();
        outage = Math.max(outage, now - lastAnswer);
        lastAnswer = now;
        super.answered();
    }

    /** As many failovers that nobody planned, of each kind as many, and a planned one after each. */
    void strike(int failovers, Random random) {
        List<Kind> unplanned = List.of(Kind.KILLED, Kind.PAUSED, Kind.CUT_OFF_FROM_THE_OTHERS);
        List<Kind> kinds = new ArrayList<>();
        for (int i = 0; i < failovers; i++) {
            kinds.add(unplanned.get(i % unplanned.size()));
        }
        Collections.shuffle(kinds, random);
        for (Kind kind : kinds) {
            strike(kind);
            loseAnswers(cluster, Kind.ANSWER_OF_A_COMMIT_LOST);
            strike(Kind.SWITCHED_OVER);
            loseAnswers(cluster, Kind.ANSWER_OF_A_COMMIT_LOST);
        }
        cluster.nodes().forEach(node -> node.proxy().heal());
    }

    private void strike(Kind kind) {
        awaitAnswers();
        begin();
        GroupNode former = cluster.primary();
        switch (kind) {
            case KILLED -> former.kill();
            case PAUSED -> former.pause();
            case CUT_OFF_FROM_THE_OTHERS -> former.isolate();
            case SWITCHED_OVER -> cluster.switchOver();
            default -> throw new IllegalArgumentException("Not of the primary: " + kind);
        }
        GroupNode unused = cluster.awaitPrimaryBesides(former);
        // Callers are on both sides now.
        awaitAnswers();
        switch (kind) {
            case PAUSED -> former.resume();
            case CUT_OFF_FROM_THE_OTHERS -> former.endIsolation();
            default -> {}
        }
        cluster.awaitWhole();
        awaitAnswers();
        end(kind);
    }

    private synchronized void begin() {
        lastAnswer = System.nanoTime();
        outage = 0;
    }

    private synchronized void end(Kind kind) {
        happened(kind);
        outages.computeIfAbsent(kind, first -> new ArrayList<>()).add(outage);
    }

    /** A row for each kind: how often, and the median and the longest time in which no key was answered. */
    String table() {
        StringBuilder rows =
                new StringBuilder("| fault | times | outage, median | outage, longest |\n|---|---:|---:|---:|");
        outages.forEach((kind, all) -> {
            List<Long> sorted = all.stream().sorted().toList();
            rows.append(String.format(
                    Locale.ROOT,
                    "%n| %s | %d | %.1f s | %.1f s |",
                    kind,
                    sorted.size(),
                    sorted.get(sorted.size() / 2) / 1e9,
                    sorted.get(sorted.size() - 1) / 1e9));
        });
        return rows + System.lineSeparator() + this;
    }
}
