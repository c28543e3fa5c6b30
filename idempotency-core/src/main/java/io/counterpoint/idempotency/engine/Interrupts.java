package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.engine.Exceptions.Carried;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The interrupt of the caller's thread during one call. It is hidden from the store, because a virtual thread would
 * lose its connection in the middle of a step, and some pools would not hand out a connection. The user's work sees it,
 * and so does the caller at the end.
 */
final class Interrupts {

    private boolean kept;
    private boolean interrupted;
    private boolean hasRun;

    /** Hides the interrupt from the store and restores it at the end of the outermost part. */
    <T> T keptFromStore(Supplier<? extends T> part) {
        if (kept) {
            return part.get();
        }
        kept = true;
        interrupted = Thread.interrupted();
        try {
            return part.get();
        } finally {
            kept = false;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Runs the user's work. Its first run sees the caller's interrupt. A repeated run does not: on a virtual thread, an
     * interrupt closes the connection under the work's own statements, so every run would be lost like the first. A
     * checked exception is rethrown in a {@link Carried}.
     */
    <T> T shownTo(Callable<? extends T> work) {
        boolean withheld = interrupted && hasRun;
        boolean endedByInterrupt = false;
        if (interrupted && !hasRun) {
            Thread.currentThread().interrupt();
        }
        hasRun = true;
        try {
            return work.call();
        } catch (RuntimeException | Error thrown) {
            throw thrown;
        } catch (Exception thrown) {
            endedByInterrupt = thrown instanceof InterruptedException;
            throw new Carried(thrown);
        } finally {
            interrupted = Thread.interrupted() || endedByInterrupt || withheld;
        }
    }

    boolean isInterrupted() {
        return interrupted;
    }

    /** Remembers an interrupt that an exception has reported and cleared. */
    void note(@Nullable Throwable thrown) {
        interrupted |= thrown instanceof InterruptedException;
    }
}
