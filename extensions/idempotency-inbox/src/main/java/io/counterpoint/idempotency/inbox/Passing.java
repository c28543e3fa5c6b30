package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.function.Predicate;

/** Determines whether a message is redelivered after an exception instead of being given up. */
final class Passing {

    private final IdempotencyStore<?> store;
    private final List<Predicate<? super Throwable>> retryOn;

    Passing(InboxBuilder<?, ?> options) {
        this.store = options.store;
        this.retryOn = List.copyOf(options.retryOn);
    }

    /** Exceptions that say more about the machine than about the message. */
    boolean test(Throwable thrown) {
        return thrown instanceof HeldUpException
                || says(Passing::isOfTheMachine, thrown)
                || says(any -> store.classify(any).isTransient(), thrown)
                || retryOn.stream().anyMatch(one -> says(one, thrown));
    }

    /** Also looks at the causes, because frameworks wrap interrupts and errors of class initialisation. */
    private static boolean isOfTheMachine(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown instanceof InterruptedException
                || thrown instanceof LinkageError
                || (thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError))
                || (cause != null && isOfTheMachine(cause));
    }

    /** A predicate that throws counts as false, which includes a stack overflow on a cycle of causes. */
    private static boolean says(Predicate<? super Throwable> predicate, Throwable thrown) {
        try {
            return predicate.test(thrown);
        } catch (Throwable undecided) {
            return false;
        }
    }

    private static boolean isInterrupt(Throwable thrown) {
        return thrown instanceof InterruptedException || (thrown.getCause() != null && isInterrupt(thrown.getCause()));
    }

    /** Restores the interrupt of a thread whose {@link InterruptedException}, wrapped or not, is handled here. */
    static void keepInterrupt(Throwable thrown) {
        if (says(Passing::isInterrupt, thrown)) {
            Thread.currentThread().interrupt();
        }
    }
}
