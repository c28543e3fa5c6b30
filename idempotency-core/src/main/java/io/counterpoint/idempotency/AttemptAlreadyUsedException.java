package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * Thrown when an operation has already returned a result for this attempt within the same HTTP request. A second call
 * would return the first call's result, and its own work would have no effect. Give it its own key with {@link
 * Attempt#derive}.
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
