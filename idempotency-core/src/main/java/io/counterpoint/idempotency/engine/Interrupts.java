package io.counterpoint.idempotency.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The interrupt of the caller's thread during one call. The store does not see it: a virtual thread would lose its
 * connection in the middle of a step, and some pools give none. The user's work sees it, and the caller at the end.
 */
final class Interrupts {

    private boolean interrupted;
    private boolean hasRun;

    /** Whether the work that runs does not see the interrupt. */
    private boolean withheld;

    /** Keeps the interrupt away from the store, until {@link #giveBack}. */
    void keepFromStore() {
        interrupted = Thread.interrupted();
    }

    void giveBack() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Keeps the interrupt away from the store, and puts it back at the end. May be called within itself. */
    <T> T keptFromStore(Supplier<T> call) {
        interrupted |= Thread.interrupted();
        try {
            return call.get();
        } finally {
            giveBack();
        }
    }

    /**
     * Before the user's work. The first run has the caller's interrupt. A run that repeats it has not: on a virtual thread
     * an interrupt closes the connection under the work's own statements, so each run would be lost as the first was.
     */
    void showToWork() {
        withheld = interrupted && hasRun;
        if (interrupted && !hasRun) {
            Thread.currentThread().interrupt();
        }
        hasRun = true;
    }

    /** After the user's work, whose interrupt it takes over. */
    void takeFromWork(boolean endedByInterrupt) {
        interrupted = Thread.interrupted() || endedByInterrupt || withheld;
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Notes an interrupt that a thrown object has reported and cleared. */
    void note(@Nullable Throwable thrown) {
        interrupted |= thrown instanceof InterruptedException;
    }
}
