package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One node of a {@link GaleraCluster}. It can be killed, paused, and isolated from its callers and from the other
 * nodes. It rejoins with an incremental or a full state transfer.
 */
public final class GaleraNode extends ClusterNode {

    private static final Pattern POSITION = Pattern.compile("Recovered position: (\\S+)");

    private final GaleraProgram program;
    private List<String> command = List.of();

    private GaleraNode(String name, Daemon daemon) {
        super(
                name,
                daemon,
                "jdbc:mariadb://127.0.0.1:" + daemon.port() + "/" + GaleraCluster.DATABASE
                        + "?user=root&sslMode=disable");
        this.program = new GaleraProgram(daemon.folder(), daemon.port());
    }

    static GaleraNode create(String name, WorkFolder workFolder) throws IOException {
        return new GaleraNode(name, Daemon.create("Galera node " + name, "KILL", workFolder));
    }

    // ---- its programs --------------------------------------------------------------------------------------------

    /** The address for the other nodes. */
    String groupAddress() {
        return program.groupAddress();
    }

    /** Sets the command for future starts. */
    void configure(String executable, String addresses) {
        command = program.command(executable, toString(), addresses);
    }

    private Path data() {
        return program.data();
    }

    /** Initialises its data, which other nodes can start from, too. */
    void initialize() throws IOException {
        program.makeSettings();
        daemon.run(
                "mariadb-install-db",
                List.of(
                        "env",
                        "TMPDIR=" + daemon.folder(),
                        "mariadb-install-db",
                        "--no-defaults",
                        "--skip-test-db",
                        "--auth-root-authentication-method=normal",
                        "--datadir=" + data()),
                SECONDS_TO_JOIN);
    }

    /** Copies the data of a stopped node. */
    void copy(GaleraNode stopped) throws IOException {
        program.makeSettings();
        daemon.run("cp", List.of("cp", "-R", stopped.data().toString(), data().toString()), SECONDS_TO_JOIN);
    }

    /** Shuts it down cleanly, so that its data records its position. */
    void stop() {
        daemon.stop("TERM");
    }

    /** Starts it, as the first node of the cluster if the arguments say so, and waits until it accepts writes. */
    void begin(String... more) {
        daemon.start(with(more), administration(), SECONDS_TO_JOIN);
        awaitSynced();
    }

    // ---- what happens to it --------------------------------------------------------------------------------------

    @Override
    public synchronized void kill() {
        List<ProcessHandle> its = server().descendants().toList();
        super.kill();
        // Scripts that transfer state to another node.
        its.forEach(ProcessHandle::destroyForcibly);
    }

    /**
     * Starts it again after {@link #kill()}, with an incremental state transfer if another node can still provide one.
     */
    public synchronized void joinWithWhatItMissed() {
        try {
            daemon.run("mariadbd --wsrep-recover", with("--wsrep-recover"), SECONDS_TO_JOIN);
            begin("--wsrep-start-position=" + recoveredPosition());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it again after {@link #kill()}, without data, so that it needs a full state transfer. */
    public synchronized void joinWithEverything() {
        try {
            WorkFolder.delete(data());
            daemon.run("mkdir", List.of("mkdir", "-m", "700", data().toString()), SECONDS_TO_JOIN);
            begin();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> with(String... options) {
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of(options));
        return words;
    }

    private String recoveredPosition() throws IOException {
        Matcher matcher = POSITION.matcher(Files.readString(daemon.folder().resolve("server.log"), UTF_8));
        String found = "";
        while (matcher.find()) {
            found = matcher.group(1);
        }
        return found;
    }

    @Override
    public void isolate() {
        execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'");
    }

    @Override
    public void endIsolation() {
        execute("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'");
    }

    // ---- what it says --------------------------------------------------------------------------------------------

    /** Waits until it is a synced member of the cluster. */
    public void awaitSynced() {
        awaitSyncedAmong(1);
    }

    /** The same, until it also sees this many nodes, including itself. */
    void awaitSyncedAmong(int nodes) {
        await("synced among " + nodes, () -> isSynced() && clusterSize() >= nodes);
    }

    private boolean isSynced() {
        try {
            return status("wsrep_local_state_comment").equals("Synced")
                    && status("wsrep_ready").equals("ON")
                    && status("wsrep_cluster_status").equals("Primary");
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    private int clusterSize() {
        return Integer.parseInt(status("wsrep_cluster_size"));
    }

    /** How many of its transactions have conflicted with another node's and been rolled back since it was started. */
    public long conflicts() {
        return Long.parseLong(status("wsrep_local_cert_failures")) + Long.parseLong(status("wsrep_local_bf_aborts"));
    }

    private String status(String variable) {
        return ask("SHOW STATUS LIKE '" + variable + "'", 2);
    }
}
