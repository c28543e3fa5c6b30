package io.counterpoint.idempotency.programs;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * A program around its work: a failure is one line on standard error and an exit code, and a signal stops it in good
 * order.
 */
public final class Program {

    /** What the program does. */
    public interface Work {

        /** Returns the exit code. */
        int run() throws CannotRun, IOException, InterruptedException;
    }

    /** As after the signal TERM. */
    private static final int TERMINATED = 128 + 15;

    private final String name;
    private final int couldNotRun;

    /**
     * A program.
     *
     * @param name the beginning of its messages
     * @param couldNotRun the exit code after a failure
     */
    public Program(String name, int couldNotRun) {
        this.name = name;
        this.couldNotRun = couldNotRun;
    }

    /** Does the work and returns its exit code, or prints one line and returns the exit code after a failure. */
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
     * Lets this process end with the one that started it, if the system property {@code ends-with-parent} is true. A build
     * that is terminated tells its processes nothing. The property is for builds alone: a program may outlive its shell.
     */
    private static void endWithParent() {
        if (Boolean.getBoolean("ends-with-parent")) {
            ProcessHandle.current().parent().ifPresent(parent -> {
                var unused = parent.onExit().thenRun(() -> System.exit(TERMINATED));
            });
        }
    }

    /**
     * Runs the program and exits with its code.
     *
     * @param program returns the exit code
     * @param stop runs when the process gets a signal to end; the program has to end then
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
