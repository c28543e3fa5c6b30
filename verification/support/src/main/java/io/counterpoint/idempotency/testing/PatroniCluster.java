package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * PostgreSQL servers under Patroni, with a synchronous standby by default, and a single-member etcd that decides who
 * leads.
 *
 * <p>The programs come from Debian's packages {@code postgresql}, {@code patroni}, {@code etcd-server} and
 * {@code python3-etcd}. Patroni uses version 2 of etcd's protocol. Processes and folders end with the JVM, even if it
 * is killed; the next server to start deletes what is left.
 */
public final class PatroniCluster implements AutoCloseable {

    static final String USER = "user=postgres&sslmode=disable&gssEncMode=disable";

    private static final Duration BOUND = Duration.ofMinutes(2);
    private static final Duration BOUND_OF_A_QUESTION = Duration.ofSeconds(2);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Patroni responds once another node leads, or once it has given up waiting for one. */
    private static final Duration BOUND_OF_AN_ORDER = Duration.ofMinutes(1);

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(BOUND_OF_A_QUESTION)
            .build();

    private final Daemon etcd;
    private final boolean synchronous;
    private final List<PatroniNode> nodes = new ArrayList<>();

    private PatroniCluster(Daemon etcd, boolean synchronous) {
        this.etcd = etcd;
        this.synchronous = synchronous;
    }

    /**
     * Starts etcd and a number of nodes, and waits until one standby is synchronous and all standbys receive the log.
     */
    public static PatroniCluster start(int nodes) {
        return start(nodes, true);
    }

    /**
     * The same, with or without {@code synchronous_mode}. Without it, commits do not wait for a standby, and an
     * acknowledged commit can be lost.
     */
    public static PatroniCluster start(int nodes, boolean synchronous) {
        try {
            WorkFolder workFolder = WorkFolder.open();
            PatroniCluster cluster = new PatroniCluster(Daemon.create("etcd", "KILL", workFolder), synchronous);
            try {
                cluster.startEtcd();
                for (int i = 1; i <= nodes; i++) {
                    PatroniNode node = PatroniNode.create("node" + i, cluster.etcd.port(), synchronous, workFolder);
                    cluster.nodes.add(node);
                    node.start();
                }
                cluster.awaitSynchronous();
                return cluster;
            } catch (IOException | RuntimeException e) {
                cluster.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a cluster: " + e.getMessage(), e);
        }
    }

    private void startEtcd() {
        String clients = "http://127.0.0.1:" + etcd.port();
        String peers = "http://127.0.0.1:" + Ports.take();
        List<String> program = List.of(
                "etcd",
                "--enable-v2=true",
                "--data-dir=" + etcd.folder().resolve("data"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=default=" + peers);
        etcd.start(program, () -> {
            int status = get(etcd.port(), "health").statusCode();
            if (status != 200) {
                throw new IOException("etcd answers " + status);
            }
        });
    }

    /** The URL with all nodes; the driver finds the primary among them. */
    public String jdbcUrl() {
        String hosts = nodes.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
        return "jdbc:postgresql://" + hosts + "/postgres?" + USER + "&targetServerType=primary";
    }

    /** The leader, according to its own Patroni. Waits until there is one. */
    public PatroniNode leader() {
        await("a node leads", () -> leaderNow().isPresent());
        return leaderNow().orElseGet(this::leader);
    }

    private Optional<PatroniNode> leaderNow() {
        return nodes.stream().filter(PatroniNode::isLeader).findFirst();
    }

    /** Waits until a different node leads, and returns it. */
    public PatroniNode awaitLeaderBesides(PatroniNode former) {
        await(
                "another node than " + former + " leads",
                () -> leaderNow().filter(leader -> leader != former).isPresent());
        return leader();
    }

    /**
     * Waits until all standbys receive the leader's log, and one is synchronous and may be promoted by Patroni. Patroni
     * reports this slightly later than PostgreSQL starts to wait for the standby.
     */
    public void awaitSynchronous() {
        await(
                "one standby is synchronous, and all receive the log",
                () -> leaderNow()
                        .filter(leader ->
                                standbys(leader, "true") == nodes.size() - 1 && (!synchronous || isSynchronous(leader)))
                        .isPresent());
    }

    private boolean isSynchronous(PatroniNode leader) {
        return standbys(leader, "sync_state = 'sync'") > 0 && nodes.stream().anyMatch(PatroniNode::mayBePromoted);
    }

    /** Whether commits wait for a standby. */
    public boolean isSynchronous() {
        return synchronous;
    }

    /** Waits until this many commits are waiting for the standby at the same time. */
    public void awaitWaitingCommits(int many) {
        await(
                many + " commits wait for the standby",
                () -> leaderNow()
                        .filter(leader -> count(leader, "pg_stat_activity", "wait_event = 'SyncRep'") >= many)
                        .isPresent());
    }

    /** Waits until the leader has stopped waiting for standbys, because there are none. */
    public void awaitNoneSynchronous() {
        await(
                "the leader waits for no standby",
                () -> leaderNow()
                        .filter(leader -> count(
                                        leader,
                                        "pg_settings",
                                        "name = 'synchronous_standby_names' AND coalesce(setting, '') = ''")
                                == 1)
                        .isPresent());
    }

    /** Every node but this one. */
    public List<PatroniNode> othersThan(PatroniNode one) {
        return nodes.stream().filter(node -> node != one).toList();
    }

    /**
     * Waits until this node, since its start, has checked whether to lead and decided not to, because it may lack
     * commits.
     */
    public void awaitRefusalToLead(PatroniNode node) {
        await(node + " refuses to lead", node::hasRefusedToLead);
    }

    private static int standbys(PatroniNode leader, String condition) {
        return count(
                leader,
                "pg_stat_replication",
                "state = 'streaming' AND application_name LIKE 'node%' AND " + condition);
    }

    private static int count(PatroniNode leader, String view, String condition) {
        String sql = "SELECT count(*) FROM " + view + " WHERE " + condition;
        try (Connection connection =
                        DriverManager.getConnection(leader.jdbcUrl() + "&connectTimeout=2&socketTimeout=2");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        } catch (SQLException notNow) {
            return 0;
        }
    }

    /** Performs a planned switchover to the synchronous standby. Returns the former primary. */
    public PatroniNode switchOver() {
        PatroniNode former = leader();
        try {
            HttpResponse<String> answer = former.switchOver();
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(
                        former + " refuses to be switched over: " + answer.statusCode() + " " + answer.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot switch over " + former, e);
        }
        return former;
    }

    static HttpResponse<String> get(int port, String page) throws IOException {
        return send(request(port, page).timeout(BOUND_OF_A_QUESTION).GET());
    }

    static HttpResponse<String> post(int port, String page, String json) throws IOException {
        return send(request(port, page).timeout(BOUND_OF_AN_ORDER).POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private static HttpRequest.Builder request(int port, String page) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/" + page));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a cluster was asked", e);
        }
    }

    private void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("it did not happen within " + BOUND + " that " + what
                        + nodes.stream()
                                .map(node -> "\n" + node + node.logTail())
                                .collect(Collectors.joining()));
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Stops all nodes immediately, and deletes their data. */
    @Override
    public void close() {
        try {
            nodes.forEach(PatroniNode::delete);
        } finally {
            etcd.delete();
        }
    }

    @Override
    public String toString() {
        return nodes + ", with etcd on port " + etcd.port();
    }
}
