package io.counterpoint.idempotency.explorer;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Hands the right to run from one thread to another: exactly one runs at any time. A thread that waits does not spin,
 * since other explorations have work for every processor.
 */
final class Signal {

    private volatile boolean raised;
    private volatile @Nullable Thread waiting;

    void raise() {
        raised = true;
        LockSupport.unpark(waiting);
    }

    void await() {
        boolean interrupted = Thread.interrupted();
        waiting = Thread.currentThread();
        while (!raised) {
            LockSupport.park(this);
        }
        raised = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
