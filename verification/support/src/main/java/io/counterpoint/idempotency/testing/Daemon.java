package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server program that belongs to this JVM: a folder, a fixed port, and at most one running process, which never runs
 * as root unless it is {@linkplain #ofThisUser of this JVM's user}.
 *
 * <p>A small shell script starts the process and exits with it. The script forwards the signals that it reads from its
 * standard input. When that input ends, for example because the JVM was killed, it stops the program at once. It
 * resumes a paused program first, because that would not see the signal.
 */
public final class Daemon {

    private static final String WATCHDOG = """
            at_once=$0
            exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            { read -r signal <&3; kill -"${signal:-$at_once}" "$server"; kill -CONT "$server"; } </dev/null 2>/dev/null &
            exec 3<&-
            wait "$server"
            """;

    static final long SECONDS_TO_START = 60;
    private static final long SECONDS_TO_STOP = 30;

    private final String name;
    private final String atOnce;
    private final WorkFolder.Instance instance;
    private final ServerUser user;
    private final Path log;
    private final int port = Ports.take();
    private final List<String> lifeline;
    private @Nullable Process process;

    private Daemon(String name, String atOnce, WorkFolder.Instance instance, ServerUser user, Optional<Build> build) {
        this.name = name;
        this.lifeline = build.map(each -> each.lifeline(instance.folder().resolve("data")))
                .orElse(List.of());
        this.atOnce = atOnce;
        this.instance = instance;
        this.user = user;
        this.log = instance.folder().resolve("server.log");
    }

    /** Creates a program that ends with this JVM. */
    static Daemon create(String name, String atOnce, WorkFolder workFolder) throws IOException {
        return create(name, atOnce, workFolder, Optional.empty());
    }

    /**
     * Creates a folder that is writable for the user that the program will run as.
     *
     * @param name the program's name in messages
     * @param atOnce the signal that stops it immediately
     * @param build the build with which the program ends; empty if it ends with this JVM
     */
    static Daemon create(String name, String atOnce, WorkFolder workFolder, Optional<Build> build) throws IOException {
        return create(name, atOnce, workFolder, build, ServerUser.find());
    }

    /**
     * Creates a program that runs as the user of this JVM, even if that is root, because it needs files that no other
     * user can read.
     *
     * @param name the program's name in messages
     * @param atOnce the signal that stops it immediately
     * @throws IOException if its folder cannot be created
     */
    public static Daemon ofThisUser(String name, String atOnce) throws IOException {
        return create(name, atOnce, WorkFolder.open(), Optional.empty(), new ServerUser(List.of()));
    }

    private static Daemon create(
            String name, String atOnce, WorkFolder workFolder, Optional<Build> build, ServerUser user)
            throws IOException {
        WorkFolder.Instance instance = build.isPresent()
                ? workFolder.newInstance(build.get(), name.replace(' ', '-'))
                : workFolder.newInstance();
        Files.setPosixFilePermissions(
                instance.folder(), PosixFilePermissions.fromString(user.isAnother() ? "rwxrwxrwx" : "rwx------"));
        return new Daemon(name, atOnce, instance, user, build);
    }

    public Path folder() {
        return instance.folder();
    }

    public int port() {
        return port;
    }

    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** A readiness probe, which throws an exception until the program is ready. It limits its own waits. */
    public interface Probe {
        void ask() throws IOException, SQLException;
    }

    /**
     * Starts the program, and waits until it accepts a connection at the JDBC URL. The URL's timeouts limit each
     * attempt.
     */
    void start(List<String> program, String jdbcUrl) {
        start(program, jdbcUrl, SECONDS_TO_START);
    }

    /** The same with a different time limit. */
    void start(List<String> program, String jdbcUrl, long seconds) {
        start(program, () -> DriverManager.getConnection(jdbcUrl).close(), seconds);
    }

    /** Starts the program, and waits until the probe succeeds. */
    void start(List<String> program, Probe probe) {
        start(program, probe, SECONDS_TO_START);
    }

    /** Starts the program, and waits until the probe succeeds, up to a time limit. */
    public void start(List<String> program, Probe probe, long seconds) {
        if (isRunning()) {
            throw new IllegalStateException(this + " runs already");
        }
        List<String> command = new ArrayList<>(lifeline);
        command.addAll(List.of("sh", "-c", WATCHDOG, atOnce));
        command.addAll(program);
        try {
            process = launch(command);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitReady(process, probe, seconds);
    }

    private void awaitReady(Process started, Probe probe, long seconds) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        Exception refusal;
        do {
            try {
                probe.ask();
                return;
            } catch (IOException | SQLException notYet) {
                refusal = notYet;
            }
        } while (!exitsWithinMillis(started, 10) && System.nanoTime() < deadline);
        String state = started.isAlive() ? "is not ready after " + seconds + " s" : "ended at once";
        signal(started, atOnce);
        throw new IllegalStateException(this + " " + state + logTail(), refusal);
    }

    /** Stops the program with a signal and waits until it is gone. Does nothing if it is not running. */
    public void stop(String signal) {
        if (process == null) {
            return;
        }
        signal(process, signal);
        awaitEnd();
    }

    private static void signal(Process watchdog, String signal) {
        try (OutputStream input = watchdog.getOutputStream()) {
            input.write((signal + "\n").getBytes(UTF_8));
        } catch (IOException alreadyGone) {
            // There is nothing left to stop.
        }
    }

    /** Whether the program exits by itself within this time. */
    boolean endsWithinMillis(long millis) {
        return process == null || exitsWithinMillis(process, millis);
    }

    /** Waits until a program that has got a termination signal exits. */
    void awaitEnd() {
        if (process == null) {
            throw new IllegalStateException(this + " does not run");
        }
        if (!exits(process, SECONDS_TO_STOP)) {
            throw new IllegalStateException(this + " does not stop within " + SECONDS_TO_STOP + " s" + logTail());
        }
        process = null;
    }

    /** Stops the program immediately and deletes its folder. */
    public void delete() {
        stop(atOnce);
        try {
            instance.delete();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + instance.folder(), e);
        }
    }

    /** Runs another program as the same user, in the same folder and with the same log. */
    Process launch(List<String> command) throws IOException {
        return new ProcessBuilder(user.command(command))
                // The other user may not be allowed to enter this JVM's working directory.
                .directory(folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Runs such a program to completion; it must succeed. */
    void run(String what, List<String> command) throws IOException {
        run(what, command, SECONDS_TO_START);
    }

    /** The same with a different time limit. */
    void run(String what, List<String> command, long seconds) throws IOException {
        Process program = launch(command);
        if (!exits(program, seconds) || program.exitValue() != 0) {
            program.destroyForcibly();
            throw new IOException(what + " failed" + logTail());
        }
    }

    static boolean exits(Process process, long seconds) {
        return exitsWithinMillis(process, TimeUnit.SECONDS.toMillis(seconds));
    }

    static boolean exitsWithinMillis(Process process, long millis) {
        try {
            return process.waitFor(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a process", e);
        }
    }

    /** The current size of the program's log, for {@link #hasLogged}. */
    long logged() {
        return log.toFile().length();
    }

    /** Whether the program has logged this text since then. */
    boolean hasLogged(long since, String text) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            byte[] written = new byte[(int) (file.length() - since)];
            file.seek(since);
            file.readFully(written);
            return new String(written, UTF_8).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The end of the program's log, for use in an error message. */
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

    @Override
    public String toString() {
        return "the " + name + " on port " + port;
    }
}
