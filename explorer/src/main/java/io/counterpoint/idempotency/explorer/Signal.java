package io.counterpoint.idempotency.explorer;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Hands the right to run from one thread to another: exactly one runs at any time. */
final class Signal {

    private static final int SPINS = 200;

    private volatile boolean raised;
    private volatile @Nullable Thread waiting;

    void raise() {
        raised = true;
        LockSupport.unpark(waiting);
    }

    void await() {
        waiting = Thread.currentThread();
        for (int spins = 0; !raised; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.park(this);
            }
        }
        raised = false;
    }
}
