package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.Set;

/** Thrown if the key's scope has no shard. Nothing was claimed or changed, and retrying does not help. */
public final class UnknownScopeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private UnknownScopeException(String message) {
        super(message);
    }

    static UnknownScopeException of(IdempotencyKey key) {
        return new UnknownScopeException(
                key + ": its scope has no shard, and nothing was started. On every node, assign the scope to a shard"
                        + " before its first call.");
    }

    static UnknownScopeException of(IdempotencyKey key, String shard, Set<String> known) {
        return new UnknownScopeException(key + ": its scope is assigned to shard " + shard + ", but this node knows"
                + " only " + known + ". Add the shard to this node's shards, or correct the assignment.");
    }
}
