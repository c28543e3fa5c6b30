package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A PostgreSQL server and the Patroni that manages it. Their processes end with the JVM, even if it is killed. */
public final class PatroniNode {

    /** Where Debian installs PostgreSQL's programs. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    /**
     * PostgreSQL is not a child of Patroni and would outlive it, so this script ends PostgreSQL whenever Patroni ends.
     */
    private static final String RUN = """
            patroni patroni.yml & patroni=$!
            echo "$patroni" >patroni.pid
            trap 'kill -KILL "$patroni"' TERM
            wait "$patroni"
            read -r postmaster <data/postmaster.pid && kill -QUIT "$postmaster" && kill -CONT "$postmaster"
            """;

    /** Short timeouts instead of Patroni's default of half a minute, so that a failover takes seconds. */
    private static final String CONFIGURATION = """
            scope: idempotency
            name: %1$s
            restapi: {listen: '127.0.0.1:%2$d', connect_address: '127.0.0.1:%2$d'}
            etcd: {host: '127.0.0.1:%3$d'}
            bootstrap:
              dcs:
                ttl: 8
                loop_wait: 1
                retry_timeout: 3
                synchronous_mode: %7$s
                maximum_lag_on_failover: 104857600
                postgresql: {use_pg_rewind: true, use_slots: true}
              initdb: [{encoding: UTF8}, {locale: C}, {auth: trust}, no-sync]
            postgresql:
              listen: 127.0.0.1:%4$d
              connect_address: 127.0.0.1:%8$d
              data_dir: %5$s/data
              bin_dir: %6$s
              pgpass: %5$s/pgpass
              authentication: {superuser: {username: postgres}, replication: {username: replicator}}
              pg_hba:
                - host all all 127.0.0.1/32 trust
                - host replication all 127.0.0.1/32 trust
              parameters:
                unix_socket_directories: ''
                fsync: off
                synchronous_commit: on
                lc_messages: C
                log_min_messages: log
                min_wal_size: 32MB
                max_wal_size: 256MB
                wal_retrieve_retry_interval: 200ms
            """;

    /** PostgreSQL's role, as different versions of Patroni report it. */
    private static final Pattern PRIMARY = Pattern.compile("\"role\": *\"(primary|master)\"");

    private final String name;
    private final Daemon daemon;
    private final int control = Ports.take();
    private final ProcessTree patroni;
    private final ProcessTree postgres;

    /** The proxy through which its standbys receive its log. */
    private final CuttingProxy wire;

    private long loggedBefore;

    private PatroniNode(String name, Daemon daemon) {
        this.name = name;
        this.daemon = daemon;
        this.patroni = new ProcessTree(daemon.folder().resolve("patroni.pid"), "python");
        this.postgres = new ProcessTree(daemon.folder().resolve("data").resolve("postmaster.pid"), "postgres");
        this.wire = CuttingProxy.inFrontOf(jdbcUrl());
    }

    /** Creates a node with an empty folder, without starting it. */
    static PatroniNode create(String name, int etcdPort, boolean synchronous, WorkFolder workFolder)
            throws IOException {
        PatroniNode node = new PatroniNode(name, Daemon.create("Patroni " + name, "TERM", workFolder));
        Path folder = node.daemon.folder();
        Files.writeString(
                folder.resolve("patroni.yml"),
                CONFIGURATION.formatted(
                        name, node.control, etcdPort, node.port(), folder, programs(), synchronous, node.wire.port()));
        return node;
    }

    private static Path programs() throws IOException {
        Optional<String> chosen = ServerHome.chosen(ServerBinaries.HOME_VARIABLE);
        if (chosen.isPresent()) {
            return Path.of(chosen.get(), "bin");
        }
        try (var versions = Files.newDirectoryStream(DEBIAN)) {
            for (Path version : versions) {
                Path programs = version.resolve("bin");
                if (Files.exists(programs.resolve("pg_rewind"))) {
                    return programs;
                }
            }
        }
        throw new IOException("there is no PostgreSQL below " + DEBIAN + ": install Debian's package postgresql");
    }

    /** The port of its PostgreSQL. */
    public int port() {
        return daemon.port();
    }

    /** Starts Patroni, and waits until its PostgreSQL is the primary or a standby that receives the log. */
    public void start() {
        loggedBefore = daemon.logged();
        daemon.start(List.of("sh", "-c", RUN), () -> ask("health"));
    }

    private void ask(String page) throws IOException {
        int status = PatroniCluster.get(control, page).statusCode();
        if (status != 200) {
            throw new IOException(this + " answers " + status + " to /" + page);
        }
    }

    /**
     * Whether its Patroni reports both that it holds the leader key and that its PostgreSQL is a primary. Patroni's
     * status code alone depends only on the key, which precedes the promotion. A paused or killed node reports nothing.
     */
    boolean isLeader() {
        try {
            HttpResponse<String> answer = PatroniCluster.get(control, "primary");
            return answer.statusCode() == 200 && PRIMARY.matcher(answer.body()).find();
        } catch (IOException no) {
            return false;
        }
    }

    /** Whether its Patroni reports that it is the synchronous standby and may take over. */
    boolean mayBePromoted() {
        return agrees("synchronous");
    }

    /**
     * Whether its Patroni, since its start, has checked whether to lead and decided not to, because it may lack
     * commits.
     */
    boolean hasRefusedToLead() {
        return daemon.hasLogged(loggedBefore, "i am not the healthiest node");
    }

    private boolean agrees(String page) {
        try {
            ask(page);
            return true;
        } catch (IOException no) {
            return false;
        }
    }

    /** Requests a switchover, and returns Patroni's response. */
    HttpResponse<String> switchOver() throws IOException {
        return PatroniCluster.post(control, "switchover", "{\"leader\": \"" + name + "\"}");
    }

    /** Kills every process of PostgreSQL, but not its Patroni. */
    public void killPostgres() {
        postgres.kill();
    }

    /** Kills every process of both, like a power failure. {@link #start()} starts them again. */
    public void kill() {
        if (daemon.isRunning()) {
            // Before PostgreSQL, which Patroni would otherwise restart.
            patroni.kill();
            postgres.kill();
            daemon.awaitEnd();
        }
    }

    /** Pauses every process of both, like a suspended virtual machine. */
    public void pause() {
        List<ProcessHandle> unused = patroni.pause();
        unused = postgres.pause();
    }

    /** Resumes both, PostgreSQL first: the worst case is what it does before its Patroni notices. */
    public void resume() {
        postgres.resume();
        patroni.resume();
    }

    /** Holds back its log, so that no standby receives it and neither side notices. */
    public void holdBackLog() {
        wire.blackHole();
    }

    /**
     * Discards the log that was held back, like a network that has gone. Standbys that reconnect get everything again.
     */
    public void forgetHeldLog() {
        int unused = wire.resetAll();
        wire.heal();
    }

    /** Its own address, for this node alone, so the driver does not choose a server. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?" + PatroniCluster.USER;
    }

    /** Stops both immediately, and deletes their data. */
    void delete() {
        try {
            kill();
        } finally {
            wire.close();
            daemon.delete();
        }
    }

    /** The end of the logs of Patroni and PostgreSQL, for use in an error message. */
    String logTail() {
        return daemon.logTail();
    }

    @Override
    public String toString() {
        return name + " (port " + port() + ")";
    }
}
