package io.counterpoint.idempotency.programs;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Runs a program: a failure becomes one line on standard error and an exit code, and a signal triggers a graceful stop.
 */
public final class Program {

    /** The work of the program. */
    public interface Work {

        /** Returns the exit code. */
        int run() throws CannotRun, IOException, InterruptedException;
    }

    /** The exit code after SIGTERM. */
    private static final int TERMINATED = 128 + 15;

    private final String name;
    private final int couldNotRun;

    /**
     * Creates a program.
     *
     * @param name the prefix of its messages
     * @param couldNotRun the exit code after a failure
     */
    public Program(String name, int couldNotRun) {
        this.name = name;
        this.couldNotRun = couldNotRun;
    }

    /**
     * Runs the work and returns its exit code. After a failure, prints one line and returns the exit code for failures.
     */
    public int run(PrintStream err, Work work) {
        try {
            return work.run();
        } catch (CannotRun e) {
            err.println(name + ": " + e.getMessage() + " See --help.");
        } catch (IOException | RuntimeException e) {
            err.println(name + ": Gave up: " + CannotRun.rootMessage(e) + ". See --help.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return couldNotRun;
    }

    /**
     * Exits when the parent process does, if the system property {@code ends-with-parent} is true, because a terminated
     * build does not signal its processes. Only builds set the property: otherwise a program may outlive its shell.
     */
    private static void endWithParent() {
        if (Boolean.getBoolean("ends-with-parent")) {
            ProcessHandle.current().parent().ifPresent(parent -> {
                var unused = parent.onExit().thenRun(() -> System.exit(TERMINATED));
            });
        }
    }

    /**
     * Runs the program and exits with its exit code.
     *
     * @param program returns the exit code
     * @param stop runs when the process gets a termination signal; the program then has to finish
     * @param longest how long the process waits for that
     */
    public void exitAfter(IntSupplier program, Runnable stop, Duration longest) {
        endWithParent();
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.run();
            try {
                if (!done.await(longest.toMillis(), TimeUnit.MILLISECONDS)) {
                    System.err.println(name + ": Could not stop in good order.");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        int exitCode;
        try {
            exitCode = program.getAsInt();
        } finally {
            done.countDown();
        }
        System.out.flush(); // A build whose process this is writes to the terminal when it ends.
        System.exit(exitCode);
    }
}
