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
                key + ": this operation has given its result for this attempt already. Expected one call of it for each"
                        + " attempt, found two, and the work of one of them has no effect. Use the first result, or give the other"
                        + " call a key of its own: attempt.derive(\"second\"). Asking again with the same key is safe, and ends"
                        + " here again."));
    }
}
