package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A MariaDB server run by this JVM, with its data. */
final class LocalMariaDb extends LocalServer {

    static final String KILL = "KILL";

    /**
     * The settings of every server. It may lose data if the machine crashes, but must keep acknowledged commits when
     * the server is killed.
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

    /** Creates a server with an empty data folder, without starting it. */
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

    /** Its own folder, because on startup a server deletes all temporary tables in its folder for temporary files. */
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
