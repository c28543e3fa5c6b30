package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.function.Predicate;

/** Says whether a message comes again after something was thrown, instead of being given up. */
final class Passing {

    private final IdempotencyStore<?> store;
    private final Predicate<? super Throwable> retryOn;

    Passing(InboxBuilder<?, ?> options) {
        this.store = options.store;
        this.retryOn = options.retryOn;
    }

    /** Nothing that is thrown tells more of a message than of the machine, if it is one of these. */
    boolean test(Throwable thrown) {
        return thrown instanceof HeldUpException
                || thrown instanceof InterruptedException
                || (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || isTransient(thrown);
    }

    /** A predicate that throws says nothing. */
    private boolean isTransient(Throwable thrown) {
        try {
            return store.classify(thrown).isTransient() || retryOn.test(thrown);
        } catch (Throwable undecided) {
            return false;
        }
    }

    /** Keeps the interrupt of a thread whose {@link InterruptedException} ends here. */
    static void keepInterrupt(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}
