package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes of Galera on this machine, each a real {@code mariadbd} behind a proxy. They come from Debian's packages
 * {@code mariadb-server}, {@code mariadb-backup} and {@code socat}.
 *
 * <p>The nodes end with the JVM, even when that is killed. They listen on 127.0.0.1 only, keep every commit that they
 * acknowledged before they were killed, and let everybody in as user {@code root}.
 */
public final class GaleraCluster implements AutoCloseable {

    static final String PROVIDER = "/usr/lib/galera/libgalera_smm.so";

    static final String DATABASE = "test";

    private static final int NODES = 3;
    private static final Object SHARING = new Object();
    private static final Set<GaleraCluster> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(GaleraCluster::close), "stop Galera"));
    }

    private static @Nullable GaleraCluster shared;

    private final List<GaleraNode> nodes = new ArrayList<>();

    private GaleraCluster() {}

    /** One for the whole JVM, started when it is first asked for. Nobody closes it. */
    public static GaleraCluster shared() {
        synchronized (SHARING) {
            GaleraCluster started = shared == null ? start() : shared;
            shared = started;
            return started;
        }
    }

    /**
     * Starts three nodes, and returns when all of them take writes.
     *
     * @throws IllegalStateException if the packages are missing, or a node does not start
     */
    public static GaleraCluster start() {
        String program = program("mariadbd");
        if (!Files.exists(Path.of(PROVIDER))) {
            throw new IllegalStateException("no file " + PROVIDER + "; install it, on Debian with: apt-get install"
                    + " mariadb-server mariadb-backup socat");
        }
        GaleraCluster cluster = new GaleraCluster();
        OPEN.add(cluster);
        boolean started = false;
        try {
            cluster.begin(program);
            started = true;
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start Galera: " + e.getMessage(), e);
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    private static String program(String name) {
        return Stream.concat(
                        Stream.of(System.getenv().getOrDefault("PATH", "").split(":")),
                        // Not on everybody's path, but that is where Debian puts it.
                        Stream.of("/usr/sbin"))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseThrow(() -> new IllegalStateException("no program " + name + " on the PATH or in /usr/sbin;"
                        + " install it, on Debian with: apt-get install mariadb-server mariadb-backup socat"));
    }

    private void begin(String program) throws IOException {
        WorkFolder workFolder = WorkFolder.open();
        for (int i = 1; i <= NODES; i++) {
            nodes.add(GaleraNode.create("node" + i, workFolder));
        }
        String addresses = nodes.stream().map(GaleraNode::groupAddress).collect(Collectors.joining(","));
        for (GaleraNode node : nodes) {
            node.configure(program, addresses);
        }
        GaleraNode first = nodes.get(0);
        first.initialize();
        first.begin("--wsrep-new-cluster");
        first.execute("CREATE DATABASE " + DATABASE + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        first.stop();
        List<GaleraNode> others = nodes.subList(1, NODES);
        for (GaleraNode other : others) {
            other.copy(first);
        }
        first.begin("--wsrep-new-cluster");
        others.forEach(GaleraNode::begin);
        awaitWhole();
    }

    /** Makes an empty database on all nodes. A database of that name that is there is deleted. */
    public void createDatabase(String name) {
        GaleraNode first = nodes.get(0);
        first.execute("DROP DATABASE IF EXISTS " + name);
        first.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    }

    /** Its nodes, always the same, whether they run or not. */
    public List<GaleraNode> nodes() {
        return List.copyOf(nodes);
    }

    /** Waits until every node is a member that has all of the state, and sees all the others. */
    public void awaitWhole() {
        nodes.forEach(node -> node.awaitSyncedAmong(NODES));
    }

    /** Kills every node and deletes its data. */
    @Override
    public void close() {
        if (OPEN.remove(this)) {
            nodes.forEach(GaleraNode::delete);
        }
    }
}
