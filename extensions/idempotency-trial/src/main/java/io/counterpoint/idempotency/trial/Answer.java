package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.InProgressException;
import io.counterpoint.idempotency.KeyReusedException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a call ended: with an outcome, another result, or an exception. */
record Answer(@Nullable Object given, @Nullable Throwable thrown) {

    /** Chains of causes may be cyclic. */
    private static final int LONGEST_CHAIN = 100;

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

    /** The result of a success. A method that returns nothing or null has one too. */
    Optional<Object> result() {
        if (given instanceof Outcome.Completed<?> completed) {
            return Optional.of(completed.result());
        }
        boolean success = thrown == null && !(given instanceof Outcome);
        return success ? Optional.of(given == null ? "null" : given) : Optional.empty();
    }

    boolean isRejected() {
        return given instanceof Outcome.Rejected || says(RejectedException.class);
    }

    boolean isInProgress() {
        return given instanceof Outcome.InProgress || says(InProgressException.class);
    }

    boolean isKeyReused() {
        return given instanceof Outcome.KeyReused || thrown instanceof KeyReusedException;
    }

    boolean isNotStarted() {
        return thrown instanceof NotStartedException;
    }

    /** A custom exception of the use case may have it as its cause. */
    private boolean says(Class<? extends IdempotencyException> type) {
        return causes().anyMatch(type::isInstance);
    }

    private Stream<Throwable> causes() {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause).limit(LONGEST_CHAIN);
    }

    /** Whether it means that the work failed: only the work can have thrown this. */
    boolean isOwnFailure() {
        return thrown != null
                && !(thrown instanceof IdempotencyException)
                && !says(RejectedException.class)
                && !says(InProgressException.class)
                && !isUnknownError()
                && causes().noneMatch(Answer::isNoConnection);
    }

    /** The database could not be queried for the outcome of the work. */
    private static boolean isNoConnection(Throwable cause) {
        return cause instanceof SQLException refused && FailingDriver.AWAY.equals(refused.getSQLState());
    }

    /** An error propagates as is. If more is known, the corresponding exception is attached to it. */
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
