package io.counterpoint.idempotency.explorer;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Transfers control from one thread to another: exactly one runs at any time. A waiting thread does not spin, because
 * other explorations need the processors.
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
