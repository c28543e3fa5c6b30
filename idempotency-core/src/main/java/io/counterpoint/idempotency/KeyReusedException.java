package io.counterpoint.idempotency;

import io.counterpoint.idempotency.IdempotencyException.Reason;

/** The key belongs to a different request: {@link Outcome.KeyReused}. */
public final class KeyReusedException extends IdempotencyException {
    private static final long serialVersionUID = 1L;

    KeyReusedException(IdempotencyKey key) {
        super(
                Reason.KEY_REUSED,
                key,
                Reason.KEY_REUSED.what()
                        + ". If it is meant to be the same request, part of it differs between tries, such as a"
                        + " timestamp; leave that out of the request that the attempt carries",
                null);
    }
}
