package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One PostgreSQL server of this JVM: a data folder, a port that it keeps, and at most one running process.
 *
 * <p>The process is started by a small shell script that ends with it: it hands on the signals that it reads from
 * its standard input, and the end of that input, which is also what a killed JVM leaves, makes it stop the server at
 * once.
 */
final class LocalServer {

    private static final String WATCHDOG = """
            exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            { read -r signal <&3; kill -"${signal:-QUIT}" "$server"; } </dev/null 2>/dev/null &
            exec 3<&-
            wait "$server"
            """;

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

    private static final long SECONDS_TO_START = 60;
    private static final long SECONDS_TO_STOP = 30;

    private final WorkFolder.Instance instance;
    private final ServerBinaries binaries;
    private final ServerUser user;
    private final List<String> settings;
    private final int port = freePort();
    private final Path data;
    private final Path log;
    private @Nullable Process process;

    private LocalServer(WorkFolder.Instance instance, ServerBinaries binaries, ServerUser user, List<String> settings) {
        this.instance = instance;
        this.binaries = binaries;
        this.user = user;
        this.settings = settings;
        this.data = instance.folder().resolve("data");
        this.log = instance.folder().resolve("server.log");
    }

    /** Makes a server with an empty data folder; it does not run yet. */
    static LocalServer create(List<String> settings) {
        try {
            WorkFolder workFolder = WorkFolder.open();
            ServerBinaries binaries = ServerBinaries.find(workFolder);
            ServerUser user = ServerUser.find();
            WorkFolder.Instance instance = workFolder.newInstance();
            LocalServer server = new LocalServer(instance, binaries, user, settings);
            try {
                server.initialize();
            } catch (IOException | RuntimeException e) {
                instance.delete();
                throw e;
            }
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a PostgreSQL server: " + e.getMessage(), e);
        }
    }

    private void initialize() throws IOException {
        // The user that the server runs as makes the data folder, and PostgreSQL itself closes that to all others.
        Files.setPosixFilePermissions(
                instance.folder(), PosixFilePermissions.fromString(user.isAnother() ? "rwxrwxrwx" : "rwx------"));
        Process initdb = launch(List.of(
                binaries.program("initdb"),
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
                "--pgdata=" + data));
        if (!exits(initdb, SECONDS_TO_START) || initdb.exitValue() != 0) {
            initdb.destroyForcibly();
            throw new IOException("initdb failed" + logTail());
        }
    }

    int port() {
        return port;
    }

    String jdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=postgres&sslmode=disable&gssEncMode=disable";
    }

    boolean isRunning() {
        return process != null && process.isAlive();
    }

    void start() {
        if (isRunning()) {
            throw new IllegalStateException("the PostgreSQL server on port " + port + " runs already");
        }
        List<String> command = new ArrayList<>(List.of("sh", "-c", WATCHDOG, "pg"));
        command.addAll(List.of(binaries.program("postgres"), "-D", data.toString(), "-p", Integer.toString(port)));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        try {
            process = launch(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReady(process);
    }

    private void awaitReady(Process started) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_START);
        SQLException refusal;
        do {
            try {
                DriverManager.getConnection(jdbcUrl() + "&connectTimeout=5&socketTimeout=5")
                        .close();
                return;
            } catch (SQLException notYet) {
                refusal = notYet;
            }
        } while (!exitsWithinMillis(started, 10) && System.nanoTime() < deadline);
        String state = started.isAlive() ? "is not ready after " + SECONDS_TO_START + " s" : "ended at once";
        signal(started, IMMEDIATE);
        throw new IllegalStateException("the PostgreSQL server on port " + port + " " + state + logTail(), refusal);
    }

    /** Stops the server with one of the signals above and waits until it is gone; does nothing if it does not run. */
    void stop(String signal) {
        if (process == null) {
            return;
        }
        signal(process, signal);
        awaitEnd(process);
        process = null;
    }

    /** Kills every process of the server as if the machine had lost power, except that the disk's cache survives. */
    void kill() {
        if (process == null) {
            throw new IllegalStateException("the PostgreSQL server on port " + port + " does not run");
        }
        ProcessHandle postmaster = postmaster();
        // A stopped postmaster cannot start another backend between the look at its children and its death.
        shell("kill -STOP " + postmaster.pid());
        List<ProcessHandle> all = new ArrayList<>(postmaster.children().toList());
        all.add(postmaster);
        all.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(process);
        for (ProcessHandle backend : all) {
            while (isLeft(backend)) {
                Thread.onSpinWait();
            }
        }
        process = null;
    }

    /** A killed process without a command is one that nobody has buried yet. */
    private static boolean isLeft(ProcessHandle killed) {
        return killed.isAlive() && killed.info().command().isPresent();
    }

    private ProcessHandle postmaster() {
        try {
            long pid = Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
            return ProcessHandle.of(pid)
                    .orElseThrow(() -> new IllegalStateException(
                            "the PostgreSQL server on port " + port + " ended by itself" + logTail()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops the server at once and deletes its data. */
    void delete() {
        stop(IMMEDIATE);
        try {
            instance.delete();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + instance.folder(), e);
        }
    }

    private static void signal(Process watchdog, String signal) {
        try (OutputStream input = watchdog.getOutputStream()) {
            input.write((signal + "\n").getBytes(UTF_8));
        } catch (IOException alreadyGone) {
            // Then there is nothing left to stop.
        }
    }

    private void awaitEnd(Process watchdog) {
        if (!exits(watchdog, SECONDS_TO_STOP)) {
            throw new IllegalStateException("the PostgreSQL server on port " + port + " does not stop within "
                    + SECONDS_TO_STOP + " s" + logTail());
        }
    }

    private Process launch(List<String> command) throws IOException {
        return new ProcessBuilder(user.command(command))
                // The other user may not enter the folder that this JVM was started in.
                .directory(instance.folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private static void shell(String script) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", script).inheritIO().start();
            exits(shell, SECONDS_TO_STOP);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean exits(Process process, long seconds) {
        return exitsWithinMillis(process, TimeUnit.SECONDS.toMillis(seconds));
    }

    private static boolean exitsWithinMillis(Process process, long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a PostgreSQL process", e);
        }
    }

    /** The end of the server's log, as the end of an error message. */
    String logTail() {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] tail = new byte[(int) Math.min(file.length(), 4000)];
            file.seek(file.length() - tail.length);
            file.readFully(tail);
            return "; its log ends with:\n" + new String(tail, UTF_8);
        } catch (IOException e) {
            return "; it wrote no log (" + e + ")";
        }
    }

    /**
     * A port below the range from which systems take the ports of outgoing connections (32768 and up on Linux): one from
     * that range could be taken while the server is down, even by a client that tries to connect to it.
     */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 30_000);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException taken) {
                // Another one, then.
            }
        }
    }
}
