package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A PostgreSQL server run by this JVM, with its data. */
final class LocalPostgres extends LocalServer {

    /**
     * The signals for PostgreSQL's shutdown modes: fast, which does not wait for clients, and immediate, which skips
     * the checkpoint as well.
     */
    static final String FAST = "INT";

    static final String IMMEDIATE = "QUIT";

    /**
     * The settings of every server. It may lose data if the machine crashes, but must keep acknowledged commits when
     * the server is killed, so {@code fsync} may be off but {@code synchronous_commit} may not.
     */
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "synchronous_commit=on",
            "max_connections=200",
            "lc_messages=C");

    private final ServerBinaries binaries;
    private final List<String> settings;
    private final ProcessTree processes;
    private boolean paused;

    private LocalPostgres(ServerBinaries binaries, Daemon daemon, List<String> settings) {
        super(
                daemon,
                "jdbc:postgresql://127.0.0.1:" + daemon.port()
                        + "/postgres?user=postgres&sslmode=disable&gssEncMode=disable",
                "&connectTimeout=5&socketTimeout=5");
        this.binaries = binaries;
        this.settings = settings;
        this.processes = new ProcessTree(data.resolve("postmaster.pid"), "postgres");
    }

    /**
     * Copies the data of a running server in backup mode, file by file; a file that the server deletes meanwhile is not
     * needed. The log, replication slots and settings changed at run time are not copied.
     */
    private static final String COPY = """
            umask 077
            mkdir "$2" "$2/pg_wal" "$2/pg_replslot" || exit 1
            for entry in "$1"/*; do
                case "${entry##*/}" in
                    pg_wal | pg_replslot | postmaster.pid | postmaster.opts | postgresql.auto.conf) ;;
                    *) LC_ALL=C cp -R "$entry" "$2" 2>&1 | { ! grep -v 'No such file or directory'; } || exit 1 ;;
                esac
            done
            """;

    private static final String BECOME_STANDBY = """
            umask 077
            printf %s "$2" >"$1/backup_label" && : >"$1/standby.signal"
            """;

    /** Creates a server with an empty data folder, without starting it. */
    static LocalPostgres create(List<String> settings, Optional<Build> build) {
        return create(settings, build, LocalPostgres::initialize);
    }

    /**
     * Creates a standby of a running server in backup mode, without starting it.
     *
     * @param endBackup ends backup mode once everything is copied, and returns the backup label
     */
    static LocalPostgres standbyOf(LocalPostgres primary, List<String> settings, Supplier<String> endBackup) {
        return create(settings, Optional.empty(), standby -> {
            standby.runAsServer(
                    "the copy of the primary's data", COPY, primary.data.toString(), standby.data.toString());
            standby.runAsServer("the label of the backup", BECOME_STANDBY, standby.data.toString(), endBackup.get());
        });
    }

    private static LocalPostgres create(List<String> settings, Optional<Build> build, Filling<LocalPostgres> filling) {
        return make(
                "PostgreSQL",
                workFolder -> new LocalPostgres(
                        ServerBinaries.find(workFolder),
                        Daemon.create("PostgreSQL server", IMMEDIATE, workFolder, build),
                        settings),
                filling);
    }

    private void initialize() throws IOException {
        new EmptyData(binaries.home().template()).into(data, daemon, this::initializeAlone);
    }

    private void initializeAlone() throws IOException {
        daemon.run(
                "initdb",
                List.of(
                        binaries.program("initdb"),
                        "--auth=trust",
                        "--username=postgres",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync",
                        "--pgdata=" + data));
    }

    private void runAsServer(String what, String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(List.of(arguments));
        daemon.run(what, command);
    }

    @Override
    List<String> command() {
        List<String> command = new ArrayList<>(
                List.of(binaries.program("postgres"), "-D", data.toString(), "-p", Integer.toString(daemon.port())));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        return command;
    }

    @Override
    void stop(String signal) {
        if (paused) {
            // Paused backends would not see the signal to exit.
            resume();
        }
        super.stop(signal);
    }

    /** Kills every process of the server, like a power failure, except that the disk cache survives. */
    void kill() {
        if (!daemon.isRunning()) {
            throw new IllegalStateException(daemon + " does not run");
        }
        running().kill();
        paused = false;
        daemon.awaitEnd();
    }

    /** Pauses every process of the server. The operating system still accepts connections and data for them. */
    void pause() {
        paused = true;
        List<ProcessHandle> unused = running().pause();
    }

    /** Resumes a paused server; does nothing to one that is running. */
    void resume() {
        paused = false;
        running().resume();
    }

    private ProcessTree running() {
        if (!processes.isThere()) {
            throw new IllegalStateException(daemon + " ended by itself" + daemon.logTail());
        }
        return processes;
    }

    @Override
    void delete() {
        stop(IMMEDIATE);
        super.delete();
    }
}
