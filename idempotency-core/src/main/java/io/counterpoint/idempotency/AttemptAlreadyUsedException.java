package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * An operation has given its result for an attempt already, within the HTTP request that the attempt stands for. A
 * second result would be the first one's, and the work of one of the two calls has no effect. Give the other call a key of
 * its own by {@link Attempt#derive}.
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
