package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * An operation has already returned its result for an attempt, within the HTTP request that the attempt represents. A
 * second call would get the first one's result, and its own work would have no effect. Give the other call its own key
 * with {@link Attempt#derive}.
 */
public final class AttemptAlreadyUsedException extends MisuseException {
    private static final long serialVersionUID = 1L;

    AttemptAlreadyUsedException(IdempotencyKey key) {
        super(Symptom.CALLED_TWICE.of(
                key + ": this operation was already called for this attempt, and a second call would return the first"
                        + " one's result without running its work. Use the first result, or give the second call its"
                        + " own key: attempt.derive(\"second\"). Retrying with the same key is safe but fails again"
                        + " here."));
    }
}
