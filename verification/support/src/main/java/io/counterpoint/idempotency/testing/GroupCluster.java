package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Three MySQL servers with Group Replication on this machine, with a single primary by default.
 * {@code IDEMPOTENCY_MYSQL_HOME} contains the programs. The servers stop when the JVM ends, and accept everybody as
 * user {@code root}.
 */
public final class GroupCluster implements NodeCluster, AutoCloseable {

    static final String NAME = "3b7f2c1e-5d86-4f0a-9a51-7c2d8e4b6f90";

    private static final int NODES = 3;
    private static final long SECONDS = 120;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final List<GroupNode> nodes = new ArrayList<>();
    private final List<String> settings;

    private GroupCluster(List<String> settings) {
        this.settings = settings;
    }

    /**
     * Starts three servers, and waits until all are members.
     *
     * @param settings for each server, such as {@code --group-replication-consistency=EVENTUAL}
     */
    public static GroupCluster start(String... settings) {
        GroupCluster cluster = new GroupCluster(List.of(settings));
        try {
            WorkFolder workFolder = WorkFolder.open();
            for (int i = 1; i <= NODES; i++) {
                Daemon daemon = Daemon.create("MySQL node" + i, "KILL", workFolder);
                cluster.nodes.add(new GroupNode("node" + i, daemon, MySqlBinaries.find(workFolder), cluster));
            }
            for (GroupNode node : cluster.nodes) {
                node.initialize();
                node.begin();
            }
            cluster.nodes.get(0).found();
            cluster.awaitWhole();
            return cluster;
        } catch (IOException e) {
            cluster.close();
            throw new UncheckedIOException("cannot start a group: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    List<String> settings() {
        return settings;
    }

    String addresses() {
        return nodes.stream().map(GroupNode::groupAddress).collect(Collectors.joining(","));
    }

    @Override
    public List<GroupNode> nodes() {
        return List.copyOf(nodes);
    }

    /** The primary of a majority. Waits until there is one. */
    public GroupNode primary() {
        return primaryBesides(Optional.empty());
    }

    /** Waits until a different node is the primary of a majority, and returns it. */
    public GroupNode awaitPrimaryBesides(GroupNode former) {
        return primaryBesides(Optional.of(former));
    }

    /** Waits until the group has elected that node. It may still have to apply its backlog before it accepts writes. */
    public void awaitElected(GroupNode node) {
        await(node + " is elected", node::isElected);
    }

    private GroupNode primaryBesides(Optional<GroupNode> former) {
        List<GroupNode> leading = new ArrayList<>();
        await("there is a primary besides " + former, () -> {
            // A paused node would not respond.
            nodes.stream()
                    .filter(node -> !former.equals(Optional.of(node)))
                    .filter(GroupNode::isPrimary)
                    .findFirst()
                    .ifPresent(leading::add);
            return !leading.isEmpty();
        });
        return leading.get(0);
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("it did not happen within " + SECONDS + " s that " + what
                        + nodes.stream()
                                .map(node -> "\n" + node + node.daemon.logTail())
                                .collect(Collectors.joining()));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Performs a planned switchover to another node. */
    public void switchOver() {
        GroupNode former = primary();
        GroupNode next = nodes.get((nodes.indexOf(former) + 1) % NODES);
        former.execute("DO group_replication_set_as_primary('" + next.uuid() + "')");
    }

    /** Makes nodes rejoin that are no longer members. */
    @Override
    public void awaitWhole() {
        // Queries each node, because each may have to rejoin.
        await(
                "all are members",
                () -> nodes.stream().filter(node -> node.isOneOf(NODES)).count() == NODES);
    }

    @Override
    public void createDatabase(String name) {
        GroupNode first = primary();
        first.execute("DROP DATABASE IF EXISTS " + name);
        first.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    }

    /** Kills every node and deletes its data. */
    @Override
    public void close() {
        nodes.forEach(GroupNode::delete);
    }
}
