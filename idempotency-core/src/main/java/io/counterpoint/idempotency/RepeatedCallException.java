package io.counterpoint.idempotency;

import io.counterpoint.idempotency.internal.Symptom;

/**
 * An operation has given its result for an attempt already, within the request that the attempt stands for. A second
 * result would be the first one's, and the work of one of the two calls has no effect. See {@link
 * Attempt#withOneResultEach()}.
 */
public final class RepeatedCallException extends MisuseException {
    private static final long serialVersionUID = 1L;

    RepeatedCallException(IdempotencyKey key) {
        super(Symptom.CALLED_TWICE.of(
                key + ": this operation has given its result for this attempt already. Expected one call of it for each"
                        + " attempt, found two, and the work of one of them has no effect. Use the first result, or give the other"
                        + " call a key of its own: attempt.derive(\"second\"). Asking again with the same key is safe, and ends"
                        + " here again."));
    }
}
