package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A PostgreSQL server and the Patroni that watches it. Their processes end with the JVM, even when that is killed. */
public final class PatroniNode {

    /** Where Debian puts the programs of PostgreSQL. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");

    /** PostgreSQL is no child of Patroni and would outlive it: whatever ends Patroni ends PostgreSQL too. */
    private static final String RUN = """
            patroni patroni.yml & patroni=$!
            echo "$patroni" >patroni.pid
            trap 'kill -KILL "$patroni"' TERM
            wait "$patroni"
            read -r postmaster <data/postmaster.pid && kill -QUIT "$postmaster" && kill -CONT "$postmaster"
            """;

    /** Seconds, not Patroni's own half minute, so that a failover takes seconds too. */
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

    /** What PostgreSQL has told its Patroni, in the words of several versions. */
    private static final Pattern PRIMARY = Pattern.compile("\"role\": *\"(primary|master)\"");

    private final String name;
    private final Daemon daemon;
    private final int control = Ports.take();
    private final ProcessTree patroni;
    private final ProcessTree postgres;

    /** What its standbys get its log through. */
    private final CuttingProxy wire;

    private long loggedBefore;

    private PatroniNode(String name, Daemon daemon) {
        this.name = name;
        this.daemon = daemon;
        this.patroni = new ProcessTree(daemon.folder().resolve("patroni.pid"), "python");
        this.postgres = new ProcessTree(daemon.folder().resolve("data").resolve("postmaster.pid"), "postgres");
        this.wire = CuttingProxy.inFrontOf(jdbcUrl());
    }

    /** Makes a node with an empty folder; it does not run yet. */
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

    /** Where its PostgreSQL listens. */
    public int port() {
        return daemon.port();
    }

    /** Starts Patroni, and returns when its PostgreSQL takes part: as the primary, or as a standby that receives. */
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
     * Whether its Patroni says that it holds the leader's key and that its PostgreSQL is a primary. Patroni's status shows
     * the key alone, which comes before the promotion. One that is paused or gone says nothing.
     */
    boolean isLeader() {
        try {
            HttpResponse<String> answer = PatroniCluster.get(control, "primary");
            return answer.statusCode() == 200 && PRIMARY.matcher(answer.body()).find();
        } catch (IOException no) {
            return false;
        }
    }

    /** Whether its Patroni says that it is the synchronous standby that may take over. */
    boolean mayBePromoted() {
        return agrees("synchronous");
    }

    /** Whether its Patroni has looked, since its start, whether to lead, and has not, since it may lack commits. */
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

    /** Asks for another primary, and returns Patroni's answer. */
    HttpResponse<String> switchOver() throws IOException {
        return PatroniCluster.post(control, "switchover", "{\"leader\": \"" + name + "\"}");
    }

    /** Kills every process of PostgreSQL. Its Patroni goes on. */
    public void killPostgres() {
        postgres.kill();
    }

    /** Kills every process of both, as a machine that loses power does. {@link #start()} starts them again. */
    public void kill() {
        if (daemon.isRunning()) {
            // Before PostgreSQL, or Patroni would start that again.
            patroni.kill();
            postgres.kill();
            daemon.awaitEnd();
        }
    }

    /** Stops every process of both where it is, as a suspended virtual machine does. */
    public void pause() {
        List<ProcessHandle> unused = patroni.pause();
        unused = postgres.pause();
    }

    /** Lets both go on, PostgreSQL first: what it does before its Patroni looks is the worst case. */
    public void resume() {
        postgres.resume();
        patroni.resume();
    }

    /** From now on its log reaches no standby, and neither side notices. */
    public void holdBackLog() {
        wire.blackHole();
    }

    /** Forgets what was held back, as a network does that is gone. New connections of standbys get everything again. */
    public void forgetHeldLog() {
        int unused = wire.resetAll();
        wire.heal();
    }

    /** Its own address, for this node alone, without the driver's choice of a server. */
    public String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port() + "/postgres?" + PatroniCluster.USER;
    }

    /** Stops both at once, and deletes their data. */
    void delete() {
        try {
            kill();
        } finally {
            wire.close();
            daemon.delete();
        }
    }

    /** The end of what Patroni and PostgreSQL have written, as the end of an error message. */
    String logTail() {
        return daemon.logTail();
    }

    @Override
    public String toString() {
        return name + " (port " + port() + ")";
    }
}
