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
 * Three servers of MySQL with Group Replication on this machine, by default with a single primary. {@code
 * IDEMPOTENCY_MYSQL_HOME} names the programs. They end with the JVM, and let everybody in as user {@code root}.
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
     * Starts three servers, and returns when all are members.
     *
     * @param settings of each, such as {@code --group-replication-consistency=EVENTUAL}
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

    /** The node that leads a majority. Waits until there is one. */
    public GroupNode primary() {
        return primaryBesides(Optional.empty());
    }

    /** Waits until another node than this one leads a majority, and returns that. */
    public GroupNode awaitPrimaryBesides(GroupNode former) {
        return primaryBesides(Optional.of(former));
    }

    /** Waits until the group has elected that node, which may have to apply what it has received before it takes writes. */
    public void awaitElected(GroupNode node) {
        await(node + " is elected", node::isElected);
    }

    private GroupNode primaryBesides(Optional<GroupNode> former) {
        List<GroupNode> leading = new ArrayList<>();
        await("there is a primary besides " + former, () -> {
            // A paused one would not answer.
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

    /** Makes another node the primary, as planned. */
    public void switchOver() {
        GroupNode former = primary();
        GroupNode next = nodes.get((nodes.indexOf(former) + 1) % NODES);
        former.execute("DO group_replication_set_as_primary('" + next.uuid() + "')");
    }

    /** Lets those become members again that are none. */
    @Override
    public void awaitWhole() {
        // Each is asked, since each may have to be let in.
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
