package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One PostgreSQL server of this JVM, with its data. */
final class LocalServer {

    /** PostgreSQL's names for its ways to stop: wait for nobody, and do not even write a checkpoint. */
    static final String FAST = "INT";

    static final String IMMEDIATE = "QUIT";

    /**
     * What every server gets. Losing a crash of the machine is fine, losing a commit that was acknowledged before the
     * server was killed is not: {@code fsync} may be off for that, {@code synchronous_commit} may not.
     */
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=off",
            "synchronous_commit=on",
            "max_connections=200",
            "lc_messages=C");

    private final Daemon daemon;
    private final ServerBinaries binaries;
    private final List<String> settings;
    private final Path data;

    private LocalServer(Daemon daemon, ServerBinaries binaries, List<String> settings) {
        this.daemon = daemon;
        this.binaries = binaries;
        this.settings = settings;
        this.data = daemon.folder().resolve("data");
    }

    /** Makes a server with an empty data folder; it does not run yet. */
    static LocalServer create(List<String> settings) {
        try {
            WorkFolder workFolder = WorkFolder.open();
            ServerBinaries binaries = ServerBinaries.find(workFolder);
            LocalServer server =
                    new LocalServer(Daemon.create("PostgreSQL server", IMMEDIATE, workFolder), binaries, settings);
            try {
                server.initialize();
            } catch (IOException | RuntimeException e) {
                server.delete();
                throw e;
            }
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a PostgreSQL server: " + e.getMessage(), e);
        }
    }

    /** The user that the server runs as makes the data folder, and PostgreSQL itself closes that to all others. */
    private void initialize() throws IOException {
        Process initdb = daemon.launch(List.of(
                binaries.program("initdb"),
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--pgdata=" + data));
        if (!Daemon.exits(initdb, Daemon.SECONDS_TO_START) || initdb.exitValue() != 0) {
            initdb.destroyForcibly();
            throw new IOException("initdb failed" + daemon.logTail());
        }
    }

    String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + daemon.port()
                + "/postgres?user=postgres&sslmode=disable&gssEncMode=disable";
    }

    void start() {
        List<String> command = new ArrayList<>(
                List.of(binaries.program("postgres"), "-D", data.toString(), "-p", Integer.toString(daemon.port())));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        daemon.start(command, jdbcUrl());
    }

    /** Stops the server with one of the signals above and waits until it is gone; does nothing if it does not run. */
    void stop(String signal) {
        daemon.stop(signal);
    }

    /** Kills every process of the server as if the machine had lost power, except that the disk's cache survives. */
    void kill() {
        if (!daemon.isRunning()) {
            throw new IllegalStateException(daemon + " does not run");
        }
        ProcessHandle postmaster = postmaster();
        // A stopped postmaster cannot start another backend between the look at its children and its death.
        pause(postmaster);
        List<ProcessHandle> all = new ArrayList<>(postmaster.children().toList());
        all.add(postmaster);
        all.forEach(ProcessHandle::destroyForcibly);
        daemon.awaitEnd();
        for (ProcessHandle backend : all) {
            while (isLeft(backend)) {
                Thread.onSpinWait();
            }
        }
    }

    private static void pause(ProcessHandle process) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -STOP " + process.pid())
                    .inheritIO()
                    .start();
            if (!Daemon.exits(shell, Daemon.SECONDS_TO_START)) {
                throw new IllegalStateException("kill does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Whether a killed process may still hold the server's shared memory, on which the next start would refuse. One that
     * nobody has buried yet holds nothing; but on Linux it loses its command a little before its memory, so its state
     * has to tell.
     */
    private static boolean isLeft(ProcessHandle killed) {
        if (!killed.isAlive()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(killed.pid()), "stat"), ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException goneOrNotLinux) {
            return killed.isAlive() && killed.info().command().isPresent();
        }
    }

    private ProcessHandle postmaster() {
        try {
            long pid = Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
            return ProcessHandle.of(pid)
                    .orElseThrow(() -> new IllegalStateException(daemon + " ended by itself" + daemon.logTail()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the server at once and deletes its data. */
    void delete() {
        daemon.delete();
    }
}
