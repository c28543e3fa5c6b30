package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The configuration of a {@link GaleraNode}: its folder, ports and command. */
final class GaleraProgram {

    /** Settings in a file, because the program that copies a node rejects some of the server's arguments. */
    private static final String SETTINGS = """
            [sst]
            sst-log-archive=0
            [mysqld]
            max_connections=300
            innodb_buffer_pool_size=32M
            innodb_log_file_size=16M
            innodb_flush_log_at_trx_commit=1
            innodb_autoinc_lock_mode=2
            """;

    private final Path folder;
    private final int port;
    private final int groupPort = Ports.take();
    private final int fullTransferPort = Ports.take();
    private final int incrementalTransferPort = Ports.take();

    GaleraProgram(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    Path data() {
        return folder.resolve("data");
    }

    /** The address for the other nodes. */
    String groupAddress() {
        return "127.0.0.1:" + groupPort;
    }

    void makeSettings() throws IOException {
        Path settings = folder.resolve("my.cnf");
        Files.writeString(settings, SETTINGS, UTF_8);
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** The command for a node with this name that joins the others at these addresses. */
    List<String> command(String program, String name, String addresses) {
        List<String> words = new ArrayList<>(List.of(
                // Keeps the scripts that transfer state from leaving files elsewhere.
                "env",
                "TMPDIR=" + folder,
                program,
                // Unlike --no-defaults, this also makes the scripts ignore the machine's configuration.
                "--defaults-file=" + folder.resolve("my.cnf"),
                "--datadir=" + data(),
                "--port=" + port,
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--tmpdir=" + folder,
                "--bind-address=127.0.0.1"));
        words.addAll(List.of(
                "--binlog-format=ROW",
                "--wsrep-on=ON",
                "--wsrep-provider=" + GaleraCluster.PROVIDER,
                "--wsrep-cluster-name=tests",
                "--wsrep-cluster-address=gcomm://" + addresses,
                "--wsrep-node-name=" + name,
                "--wsrep-node-address=" + groupAddress(),
                "--wsrep-sst-method=mariabackup",
                "--wsrep-sst-auth=root:",
                "--wsrep-sst-receive-address=127.0.0.1:" + fullTransferPort,
                "--wsrep-provider-options=" + String.join(";", providerOptions())));
        return List.copyOf(words);
    }

    /** The other nodes expel a node that is silent for some seconds. */
    private List<String> providerOptions() {
        return List.of(
                "base_host=127.0.0.1",
                "base_port=" + groupPort,
                "gmcast.listen_addr=tcp://" + groupAddress(),
                "ist.recv_addr=127.0.0.1:" + incrementalTransferPort,
                "ist.recv_bind=127.0.0.1:" + incrementalTransferPort,
                "gcache.size=32M",
                "gcache.dir=" + data(),
                "evs.keepalive_period=PT0.3S",
                "evs.inactive_check_period=PT0.3S",
                "evs.suspect_timeout=PT5S",
                "evs.inactive_timeout=PT10S",
                "evs.install_timeout=PT10S",
                "repl.causal_read_timeout=PT5S");
    }
}
