package io.counterpoint.idempotency.jdbc.calls;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import java.util.Optional;

/** What a call came to: an outcome, a number, or what it threw. */
record Answer(Object given, Throwable thrown) {

    interface Asking {
        Object ask() throws Exception;
    }

    static Answer to(Asking asking) {
        try {
            return new Answer(asking.ask(), null);
        } catch (Throwable thrown) {
            return new Answer(null, thrown);
        }
    }

    Optional<String> result() {
        return given instanceof Outcome.Completed<?> completed
                ? Optional.of((String) completed.result())
                : Optional.empty();
    }

    boolean isRejected() {
        return given instanceof Outcome.Rejected;
    }

    boolean isInProgress() {
        return given instanceof Outcome.InProgress;
    }

    boolean isNotStarted() {
        return thrown instanceof NotStartedException;
    }

    /** Whether it says that the work failed: only the work can have thrown this. */
    boolean isOwnFailure() {
        return thrown != null && !(thrown instanceof IdempotencyException);
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
