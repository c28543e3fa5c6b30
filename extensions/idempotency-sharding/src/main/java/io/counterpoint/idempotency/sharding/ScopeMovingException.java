package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.IdempotencyKey;

/**
 * Thrown while the records of the key's scope are being moved to another shard. Nothing was queried or changed. An
 * operation throws {@link io.counterpoint.idempotency.NotStartedException} instead, with this as its cause.
 */
public final class ScopeMovingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ScopeMovingException(IdempotencyKey key) {
        super(key + ": its scope is being moved to another shard, and nothing was started. Retry with the same key.");
    }
}
