package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One MariaDB server of this JVM, with its data. */
final class LocalMariaDb extends LocalServer {

    static final String KILL = "KILL";

    /**
     * What every server gets. Losing a crash of the machine is fine, losing a commit that was acknowledged before the
     * server was killed is not.
     */
    private static final List<String> SETTINGS = List.of(
            "--bind-address=127.0.0.1",
            "--innodb-flush-method=nosync",
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-buffer-pool-size=32M",
            "--max-connections=300");

    private final MariaDbPrograms programs;
    private final List<String> settings;

    private LocalMariaDb(MariaDbPrograms programs, Daemon daemon, List<String> settings) {
        super(daemon, programs.jdbcUrl(daemon.port()), "&connectTimeout=5000&socketTimeout=5000");
        this.programs = programs;
        this.settings = settings;
    }

    /** Makes a server with an empty data folder; it does not run yet. */
    static LocalMariaDb create(List<String> settings, Optional<Build> build) {
        return make(
                "MariaDB",
                workFolder -> new LocalMariaDb(
                        MariaDbPrograms.find(workFolder),
                        Daemon.create("MariaDB server", KILL, workFolder, build),
                        settings),
                LocalMariaDb::initialize);
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(programs.program());
        command.addAll(List.of(
                "--datadir=" + data,
                "--port=" + daemon.port(),
                "--socket=" + daemon.folder().resolve("socket"),
                "--pid-file=" + daemon.folder().resolve("pid"),
                temporary()));
        command.addAll(SETTINGS);
        command.addAll(programs.settings());
        command.addAll(settings);
        return command;
    }

    /** A server that starts deletes all temporary tables where it puts its own. */
    private String temporary() {
        return "--tmpdir=" + daemon.folder();
    }

    private void initialize() throws IOException {
        new EmptyData(programs.template())
                .into(
                        data,
                        daemon,
                        () -> daemon.run("the making of empty data", programs.initialization(data, temporary())));
    }
}
