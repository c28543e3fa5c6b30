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
 * A program of this JVM that serves a protocol: a folder, a port that it keeps, and at most one running process, which
 * is never root, unless it is {@linkplain #ofThisUser of this JVM's user}.
 *
 * <p>A small shell script starts the process and ends with it. The script hands on the signals that it reads from its
 * standard input. At the end of that input, as after a killed JVM, it stops the program at once. A paused program is
 * made to go on, or it would never see the signal.
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

    /** Makes a program that ends with this JVM. */
    static Daemon create(String name, String atOnce, WorkFolder workFolder) throws IOException {
        return create(name, atOnce, workFolder, Optional.empty());
    }

    /**
     * Makes a folder in which the user that the program will run as may write.
     *
     * @param name what messages call the program
     * @param atOnce the signal that stops it at once
     * @param build the build with which the program ends; empty for one that ends with this JVM
     */
    static Daemon create(String name, String atOnce, WorkFolder workFolder, Optional<Build> build) throws IOException {
        return create(name, atOnce, workFolder, build, ServerUser.find());
    }

    /**
     * Makes a program of the user of this JVM, even if that is root. It may need files that no other user can read.
     *
     * @param name what messages call the program
     * @param atOnce the signal that stops it at once
     * @throws IOException if its folder cannot be made
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

    /** A question to a program, which throws as long as that is not ready. It bounds its waits itself. */
    public interface Probe {
        void ask() throws IOException, SQLException;
    }

    /** Starts the program, and returns when it accepts a connection at the JDBC URL, which bounds its waits. */
    void start(List<String> program, String jdbcUrl) {
        start(program, jdbcUrl, SECONDS_TO_START);
    }

    /** The same for a program that may need another time until it is ready. */
    void start(List<String> program, String jdbcUrl, long seconds) {
        start(program, () -> DriverManager.getConnection(jdbcUrl).close(), seconds);
    }

    /** Starts the program, and returns when the probe does. */
    void start(List<String> program, Probe probe) {
        start(program, probe, SECONDS_TO_START);
    }

    /** Starts the program, and returns when the probe does, within that time. */
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

    /** Stops the program with a signal and waits until it is gone; does nothing if it does not run. */
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
            // Then there is nothing left to stop.
        }
    }

    /** Whether the program ends by itself within that time. */
    boolean endsWithinMillis(long millis) {
        return process == null || exitsWithinMillis(process, millis);
    }

    /** Waits for the end of a program that runs, and has got the signal to end. */
    void awaitEnd() {
        if (process == null) {
            throw new IllegalStateException(this + " does not run");
        }
        if (!exits(process, SECONDS_TO_STOP)) {
            throw new IllegalStateException(this + " does not stop within " + SECONDS_TO_STOP + " s" + logTail());
        }
        process = null;
    }

    /** Stops the program at once and deletes its folder. */
    public void delete() {
        stop(atOnce);
        try {
            instance.delete();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + instance.folder(), e);
        }
    }

    /** Runs another program as the same user in the same folder, writing to the same log. */
    Process launch(List<String> command) throws IOException {
        return new ProcessBuilder(user.command(command))
                // The other user may not enter the folder that this JVM was started in.
                .directory(folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Runs such a program to its end, which is a success. */
    void run(String what, List<String> command) throws IOException {
        run(what, command, SECONDS_TO_START);
    }

    /** The same for a program that may need another time. */
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

    /** How much the program has written by now, for {@link #hasLogged}. */
    long logged() {
        return log.toFile().length();
    }

    /** Whether it has written this text since then. */
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

    /** The end of the program's log, as the end of an error message. */
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
