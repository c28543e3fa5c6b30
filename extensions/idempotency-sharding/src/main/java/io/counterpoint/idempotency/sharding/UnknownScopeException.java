package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.Set;

/** The key's scope has no shard. Nothing was claimed or changed, and to ask again does not help. */
public final class UnknownScopeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private UnknownScopeException(String message) {
        super(message);
    }

    static UnknownScopeException of(IdempotencyKey key) {
        return new UnknownScopeException(
                key + ": its scope has no shard; create the scope before its first call, on every node.");
    }

    static UnknownScopeException of(IdempotencyKey key, String shard, Set<String> known) {
        return new UnknownScopeException(key + ": its scope is said to be on shard " + shard + ", expected one of "
                + known + "; add the shard to this node's shards, or correct the location.");
    }
}
