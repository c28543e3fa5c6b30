package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.internal.Durations;
import java.time.Duration;

/** A leader may be at work, or may have died without leaving proof of the outcome: {@link Outcome.InProgress}. */
public final class InProgressException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    InProgressException(IdempotencyKey key, Duration age, Outcome.Ending ending) {
        super(
                Reason.IN_PROGRESS,
                key,
                Reason.IN_PROGRESS.what() + "; the record last changed " + Durations.text(age) + " ago. " + ending.text,
                null);
    }
}
