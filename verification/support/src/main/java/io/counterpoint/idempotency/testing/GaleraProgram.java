package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The settings of one {@link GaleraNode}: its folder, its ports, and what the server is started with. */
final class GaleraProgram {

    /** What stands in a file, since the program that copies a node refuses some of the words that the server gets. */
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

    /** Where the other nodes find it. */
    String groupAddress() {
        return "127.0.0.1:" + groupPort;
    }

    void makeSettings() throws IOException {
        Path settings = folder.resolve("my.cnf");
        Files.writeString(settings, SETTINGS, UTF_8);
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** What the server is started with, as a node of that name that looks for the others at these addresses. */
    List<String> command(String program, String name, String addresses) {
        List<String> words = new ArrayList<>(List.of(
                // The scripts that transfer state leave no files elsewhere.
                "env",
                "TMPDIR=" + folder,
                program,
                // Unlike --no-defaults it also keeps the scripts from what is installed for the machine.
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

    /** A node that says nothing for some seconds is left behind by the others. */
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
