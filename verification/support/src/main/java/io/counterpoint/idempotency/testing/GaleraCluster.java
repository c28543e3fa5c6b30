package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Galera nodes on this machine, three by default, each a real {@code mariadbd} behind a proxy. They require Debian's
 * packages {@code mariadb-server}, {@code mariadb-backup} and {@code socat}.
 *
 * <p>The nodes stop when the JVM ends, even if it is killed. They listen on 127.0.0.1 only, keep every acknowledged
 * commit when they are killed, and accept everybody as user {@code root}.
 */
public final class GaleraCluster implements NodeCluster, AutoCloseable {

    static final String PROVIDER = "/usr/lib/galera/libgalera_smm.so";

    static final String DATABASE = "test";

    private static final int NODES = 3;
    private static final String SERVER = "mariadbd";

    /** Debian puts the server into a folder that may not be on the path. */
    private static final List<Path> FOLDERS = Stream.concat(
                    Stream.of(System.getenv().getOrDefault("PATH", "").split(":")), Stream.of("/usr/sbin"))
            .map(Path::of)
            .toList();

    private static final Object SHARING = new Object();
    private static final Set<GaleraCluster> OPEN = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(GaleraCluster::close), "stop Galera"));
    }

    private static @Nullable GaleraCluster shared;

    private final List<GaleraNode> nodes = new ArrayList<>();

    private GaleraCluster() {}

    /** Returns the cluster of this JVM, which is started on first use and never closed. */
    public static GaleraCluster shared() {
        synchronized (SHARING) {
            GaleraCluster started = shared == null ? start() : shared;
            shared = started;
            return started;
        }
    }

    /**
     * Starts three nodes, and waits until all of them accept writes.
     *
     * @throws IllegalStateException if the packages are missing, or a node does not start
     */
    public static GaleraCluster start() {
        return start(NODES);
    }

    /**
     * Starts a number of nodes, and waits until all of them accept writes.
     *
     * @throws IllegalStateException if the packages are missing, or a node does not start
     */
    public static GaleraCluster start(int nodes) {
        missing().ifPresent(message -> {
            throw new IllegalStateException(message);
        });
        String program = program(FOLDERS, SERVER).orElseThrow().toString();
        GaleraCluster cluster = new GaleraCluster();
        OPEN.add(cluster);
        boolean started = false;
        try {
            cluster.begin(program, nodes);
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

    /** What is missing on this machine, and how to install it; empty if nodes can be started. */
    public static Optional<String> missing() {
        return missing(FOLDERS, Path.of(PROVIDER));
    }

    static Optional<String> missing(List<Path> folders, Path provider) {
        String what = program(folders, SERVER).isEmpty()
                ? "There is no program " + SERVER + " on the PATH or in /usr/sbin."
                : "There is no file " + provider + ".";
        return program(folders, SERVER).isPresent() && Files.exists(provider)
                ? Optional.empty()
                : Optional.of(
                        what + " Install it, on Debian with: apt-get install mariadb-server mariadb-backup socat");
    }

    private static Optional<Path> program(List<Path> folders, String name) {
        return folders.stream()
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private void begin(String program, int many) throws IOException {
        WorkFolder workFolder = WorkFolder.open();
        for (int i = 1; i <= many; i++) {
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
        List<GaleraNode> others = nodes.subList(1, many);
        for (GaleraNode other : others) {
            other.copy(first);
        }
        first.begin("--wsrep-new-cluster");
        others.forEach(GaleraNode::begin);
        awaitWhole();
    }

    @Override
    public void createDatabase(String name) {
        GaleraNode first = nodes.get(0);
        first.execute("DROP DATABASE IF EXISTS " + name);
        first.execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    }

    @Override
    public List<GaleraNode> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public void awaitWhole() {
        nodes.forEach(node -> node.awaitSyncedAmong(nodes.size()));
    }

    /** Kills every node and deletes its data. */
    @Override
    public void close() {
        if (OPEN.remove(this)) {
            nodes.forEach(GaleraNode::delete);
        }
    }
}
