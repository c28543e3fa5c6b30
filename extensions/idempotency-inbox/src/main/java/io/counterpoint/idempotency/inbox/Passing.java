package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.function.Predicate;

/** Says whether a message comes again after something was thrown, instead of being given up. */
final class Passing {

    private final IdempotencyStore<?> store;
    private final List<Predicate<? super Throwable>> retryOn;

    Passing(InboxBuilder<?, ?> options) {
        this.store = options.store;
        this.retryOn = List.copyOf(options.retryOn);
    }

    /** Nothing that is thrown tells more of a message than of the machine, if it is one of these. */
    boolean test(Throwable thrown) {
        return thrown instanceof HeldUpException
                || thrown instanceof InterruptedException
                || thrown instanceof LinkageError
                || (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || says(any -> store.classify(any).isTransient(), thrown)
                || retryOn.stream().anyMatch(one -> says(one, thrown));
    }

    /** A predicate that throws says nothing. */
    private static boolean says(Predicate<? super Throwable> predicate, Throwable thrown) {
        try {
            return predicate.test(thrown);
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
