package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.InProgressException;
import io.counterpoint.idempotency.KeyReusedException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a call came to: an outcome, another result, or what it threw. */
record Answer(@Nullable Object given, @Nullable Throwable thrown) {

    interface Asking {
        @Nullable
        Object ask() throws Exception;
    }

    static Answer to(Asking asking) {
        try {
            return new Answer(asking.ask(), null);
        } catch (Throwable thrown) {
            return new Answer(null, thrown);
        }
    }

    /** The result of a success: a method that returns nothing, or null, has one too. */
    Optional<Object> result() {
        if (given instanceof Outcome.Completed<?> completed) {
            return Optional.of(completed.result());
        }
        boolean success = thrown == null && !(given instanceof Outcome);
        return success ? Optional.of(given == null ? "null" : given) : Optional.empty();
    }

    boolean isRejected() {
        return given instanceof Outcome.Rejected || thrown instanceof RejectedException;
    }

    boolean isInProgress() {
        return given instanceof Outcome.InProgress || thrown instanceof InProgressException;
    }

    boolean isKeyReused() {
        return given instanceof Outcome.KeyReused || thrown instanceof KeyReusedException;
    }

    boolean isNotStarted() {
        return thrown instanceof NotStartedException;
    }

    /** Whether it says that the work failed: only the work can have thrown this. */
    boolean isOwnFailure() {
        return thrown != null && !(thrown instanceof IdempotencyException) && !isUnknownError();
    }

    /** An error leaves as it is. If more than that is known, it has the exception that says so. */
    private boolean isUnknownError() {
        return thrown instanceof Error
                && Stream.of(thrown.getSuppressed()).anyMatch(OutcomeUnknownException.class::isInstance);
    }

    String name() {
        return thrown != null
                ? thrown.getClass().getSimpleName()
                : given instanceof Outcome ? given.getClass().getSimpleName() : String.valueOf(given);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(name());
        for (Throwable at = thrown; at != null && text.length() < 400; at = at.getCause()) {
            text.append(" <- ").append(at.getMessage());
        }
        return text.toString();
    }
}
