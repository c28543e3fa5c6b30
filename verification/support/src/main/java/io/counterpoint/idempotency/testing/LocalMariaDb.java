package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One MariaDB server of this JVM, with its data. */
final class LocalMariaDb extends LocalServer {

    static final String KILL = "KILL";

    /** What the script of the bootstrap gets: the program and its options come after the scripts. */
    private static final String BOOTSTRAP = """
            umask 077
            mkdir "$1" "$1/mysql" || exit 1
            tables=$2 data=$3
            shift 3
            { echo 'use mysql;'; cat "$tables" "$data"; } | "$@"
            """;

    /**
     * What every server gets. Losing a crash of the machine is fine, losing a commit that was acknowledged before the
     * server was killed is not. TLS would make a key, which takes seconds.
     */
    private static final List<String> SETTINGS = List.of(
            "--bind-address=127.0.0.1",
            "--skip-ssl",
            "--innodb-flush-method=nosync",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-log-file-size=16M",
            "--innodb-buffer-pool-size=32M",
            "--max-connections=300");

    private final MariaDbBinaries binaries;
    private final List<String> settings;

    private LocalMariaDb(MariaDbBinaries binaries, Daemon daemon, List<String> settings) {
        super(
                daemon,
                "jdbc:mariadb://127.0.0.1:" + daemon.port() + "/?user=root&sslMode=disable",
                "&connectTimeout=5000&socketTimeout=5000");
        this.binaries = binaries;
        this.settings = settings;
    }

    /** Makes a server with an empty data folder; it does not run yet. */
    static LocalMariaDb create(List<String> settings, Optional<Build> build) {
        return make(
                "MariaDB",
                workFolder -> new LocalMariaDb(
                        MariaDbBinaries.find(workFolder),
                        Daemon.create("MariaDB server", KILL, workFolder, build),
                        settings),
                LocalMariaDb::initialize);
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(List.of(binaries.program()));
        command.addAll(binaries.options());
        command.addAll(List.of(
                "--datadir=" + data,
                "--port=" + daemon.port(),
                "--socket=" + daemon.folder().resolve("socket"),
                "--pid-file=" + daemon.folder().resolve("pid"),
                temporary()));
        command.addAll(SETTINGS);
        command.addAll(settings);
        return command;
    }

    /** A server that starts deletes all temporary tables where it puts its own. */
    private String temporary() {
        return "--tmpdir=" + daemon.folder();
    }

    private void initialize() throws IOException {
        new EmptyData(binaries.home().template()).into(data, daemon, this::bootstrap);
    }

    private void bootstrap() throws IOException {
        List<String> script = new ArrayList<>(List.of("sh", "-c", BOOTSTRAP, "sh", data.toString()));
        script.addAll(binaries.scripts());
        script.add(binaries.program());
        script.addAll(binaries.options());
        script.addAll(List.of(
                "--bootstrap",
                "--datadir=" + data,
                temporary(),
                "--enforce-storage-engine=",
                "--max-allowed-packet=8M",
                "--innodb-flush-method=nosync",
                "--innodb-log-file-size=16M"));
        daemon.run("mariadbd --bootstrap", script);
    }
}
