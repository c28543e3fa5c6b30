package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One server of a {@link GroupCluster}. It listens on 127.0.0.2, and other members reach it through a {@link GroupWire}
 * on the same port of 127.0.0.1.
 */
public final class GroupNode extends ClusterNode {

    private static final String MEMBERS = " FROM performance_schema.replication_group_members";
    private static final String ITSELF = " WHERE MEMBER_ID = @@server_uuid";
    private static final String LEADS = "SELECT MEMBER_ROLE" + MEMBERS + ITSELF + " AND MEMBER_STATE = 'ONLINE'"
            + " AND MEMBER_ROLE = 'PRIMARY'"
            + " AND (SELECT 2 * SUM(MEMBER_STATE = 'ONLINE') > COUNT(*)" + MEMBERS + ")";

    private final GroupCluster cluster;
    private final MySqlBinaries programs;
    private final GroupWire wire;

    GroupNode(String name, Daemon daemon, MySqlBinaries programs, GroupCluster cluster) {
        super(name, daemon, programs.jdbcUrl(daemon.port()).replace("127.0.0.1", "127.0.0.2"));
        this.cluster = cluster;
        this.programs = programs;
        this.wire = GroupWire.inFrontOf(jdbcUrl(), cluster::nodes);
    }

    String groupAddress() {
        return "127.0.0.1:" + daemon.port();
    }

    private Path data() {
        return daemon.folder().resolve("data");
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(programs.program());
        command.addAll(List.of(
                "--datadir=" + data(),
                "--port=" + daemon.port(),
                "--bind-address=127.0.0.2",
                "--socket=" + daemon.folder().resolve("socket"),
                "--pid-file=" + pidFile(),
                "--tmpdir=" + daemon.folder(),
                "--max-connections=300",
                "--mysqlx=0",
                "--secure-file-priv=NULL",
                "--innodb-redo-log-capacity=32M",
                "--innodb-buffer-pool-size=32M",
                "--innodb-flush-method=nosync"));
        command.addAll(List.of(
                "--server-id=" + daemon.port(),
                "--report-host=127.0.0.1",
                "--gtid-mode=ON",
                "--enforce-gtid-consistency=ON",
                "--plugin-load-add=group_replication.so",
                // Outside its group it would accept writes on its own.
                "--super-read-only=ON",
                "--group-replication-start-on-boot=OFF",
                "--group-replication-communication-stack=MYSQL",
                "--group-replication-group-name=" + GroupCluster.NAME,
                "--group-replication-local-address=" + groupAddress(),
                "--group-replication-group-seeds=" + cluster.addresses(),
                "--group-replication-recovery-get-public-key=ON",
                // In seconds. The node must rejoin only when a test wants it to.
                "--group-replication-member-expel-timeout=0",
                "--group-replication-autorejoin-tries=0",
                "--group-replication-exit-state-action=READ_ONLY"));
        command.addAll(cluster.settings());
        return command;
    }

    /** Initialises empty data. */
    void initialize() throws IOException {
        new EmptyData(programs.template())
                .into(
                        data(),
                        daemon,
                        () -> daemon.run(
                                "the making of empty data",
                                programs.initialization(data(), "--tmpdir=" + daemon.folder())));
        // A copy would have the same UUID as the server that it was copied from.
        daemon.run("rm", List.of("rm", "-f", data().resolve("auto.cnf").toString()));
    }

    /** Starts it without joining a group. */
    void begin() {
        daemon.start(command(), administration(), SECONDS_TO_JOIN);
    }

    /** Makes it the first member of a new group. */
    void found() {
        execute("SET GLOBAL group_replication_bootstrap_group = ON");
        enter();
        execute("SET GLOBAL group_replication_bootstrap_group = OFF");
    }

    /** Whether it sees this many members, including itself. If it is not a member, it tries to rejoin. */
    synchronized boolean isOneOf(int many) {
        if (!daemon.isRunning()) {
            begin();
        }
        try {
            String state = ask("SELECT MEMBER_STATE" + MEMBERS + ITSELF, 1);
            // A node that the others have expelled needs a moment to notice.
            if (state.isEmpty() || state.equals("OFFLINE") || state.equals("ERROR")) {
                execute("STOP GROUP_REPLICATION");
                enter();
            }
            return ask("SELECT COUNT(*)" + MEMBERS + " WHERE MEMBER_STATE = 'ONLINE'", 1)
                    .equals(String.valueOf(many));
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    private void enter() {
        execute("CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root', SOURCE_PASSWORD = ''"
                + " FOR CHANNEL 'group_replication_recovery'");
        execute("START GROUP_REPLICATION");
    }

    /** Whether it is the primary of a majority and accepts writes. */
    boolean isPrimary() {
        return daemon.isRunning()
                && isElected()
                && ask("SELECT @@super_read_only", 1).equals("0");
    }

    boolean isElected() {
        return !ask(LEADS, 1).isEmpty();
    }

    String uuid() {
        return ask("SELECT @@server_uuid", 1);
    }

    @Override
    public void isolate() {
        for (GroupNode other : cluster.nodes()) {
            if (other != this) {
                other.wire.cut(List.of(this));
                wire.cut(List.of(other));
            }
        }
    }

    @Override
    public void endIsolation() {
        cluster.nodes().forEach(node -> node.wire.heal());
    }

    /** Whether its process owns that socket. */
    boolean hasOpen(String socket) {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server().pid() + "/fd"))) {
            return files.anyMatch(file -> isLinkTo(socket, file));
        } catch (IOException | IllegalStateException gone) {
            return false;
        }
    }

    private static boolean isLinkTo(String target, Path file) {
        try {
            return Files.readSymbolicLink(file).toString().equals(target);
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    @Override
    void delete() {
        wire.close();
        super.delete();
    }
}
