package io.counterpoint.idempotency.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The interrupt of the caller's thread during one call. It is hidden from the store, because a virtual thread would
 * lose its connection in the middle of a step, and some pools would not hand out a connection. The user's work sees it,
 * and so does the caller at the end.
 */
final class Interrupts {

    private boolean interrupted;
    private boolean hasRun;

    /** Whether the interrupt is hidden from the running work. */
    private boolean withheld;

    /** Hides the interrupt from the store until {@link #giveBack}. */
    void keepFromStore() {
        interrupted = Thread.interrupted();
    }

    void giveBack() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Hides the interrupt from the store and restores it at the end. Reentrant. */
    <T> T keptFromStore(Supplier<T> call) {
        interrupted |= Thread.interrupted();
        try {
            return call.get();
        } finally {
            giveBack();
        }
    }

    /**
     * Called before the user's work. The first run sees the caller's interrupt. A repeated run does not: on a virtual
     * thread, an interrupt closes the connection under the work's own statements, so every run would be lost like the
     * first.
     */
    void showToWork() {
        withheld = interrupted && hasRun;
        if (interrupted && !hasRun) {
            Thread.currentThread().interrupt();
        }
        hasRun = true;
    }

    /** Called after the user's work to take over its interrupt. */
    void takeFromWork(boolean endedByInterrupt) {
        interrupted = Thread.interrupted() || endedByInterrupt || withheld;
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Remembers an interrupt that an exception has reported and cleared. */
    void note(@Nullable Throwable thrown) {
        interrupted |= thrown instanceof InterruptedException;
    }
}
