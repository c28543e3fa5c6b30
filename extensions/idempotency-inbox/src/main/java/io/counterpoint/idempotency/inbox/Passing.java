package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Determines whether a message is redelivered after an exception instead of being given up. */
final class Passing {

    /** Causes can form a cycle. */
    private static final int MOST_CAUSES = 100;

    private final IdempotencyStore<?> store;
    private final List<Predicate<? super Throwable>> retryOn;

    Passing(InboxBuilder<?, ?> options) {
        this.store = options.store;
        this.retryOn = List.copyOf(options.retryOn);
    }

    /** Exceptions that say more about the machine than about the message. */
    boolean test(Throwable thrown) {
        return thrown instanceof HeldUpException
                || says(
                        any -> Stream.iterate(any, Objects::nonNull, Throwable::getCause)
                                .limit(MOST_CAUSES)
                                .anyMatch(Passing::isOfTheMachine),
                        thrown)
                || says(any -> store.classify(any).isTransient(), thrown)
                || retryOn.stream().anyMatch(one -> says(one, thrown));
    }

    /** Frameworks wrap what a class that cannot be initialised, or an interrupt, throws. */
    private static boolean isOfTheMachine(Throwable cause) {
        return cause instanceof InterruptedException
                || cause instanceof LinkageError
                || (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError));
    }

    /** A predicate that throws counts as false. */
    private static boolean says(Predicate<? super Throwable> predicate, Throwable thrown) {
        try {
            return predicate.test(thrown);
        } catch (Throwable undecided) {
            return false;
        }
    }

    /** Restores the interrupt of a thread whose {@link InterruptedException} is handled here. */
    static void keepInterrupt(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}
