package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The keys that this process has left unresolved, by scope, at most so many of each. What is left on other nodes or was left
 * before a restart is not known here. Of more than 10,000 scopes, those are forgotten that have been quiet for longest.
 */
final class UnresolvedKeys {

    private static final int MOST_SCOPES = 10_000;

    private final int perScope;
    private final long retention;
    private final LongSupplier nanoTime;

    /** For each scope its keys' hashes, and when each was left; the scope that was quiet for longest comes first. */
    private final Map<String, Map<String, Long>> scopes = new LinkedHashMap<>(16, 0.75f, true);

    UnresolvedKeys(int perScope, Duration retention, LongSupplier nanoTime) {
        this.perScope = perScope;
        this.retention = retention.toNanos();
        this.nanoTime = nanoTime;
    }

    /** Whether the key's scope may leave one more key unresolved. */
    synchronized boolean hasRoomFor(IdempotencyKey key) {
        Map<String, Long> left = scopes.get(key.scope());
        if (left == null) {
            return true;
        }
        long now = nanoTime.getAsLong();
        left.values().removeIf(since -> now - since > retention);
        return left.size() < perScope || left.containsKey(key.hash());
    }

    /** It is not known what became of the key's request. */
    synchronized void left(IdempotencyKey key) {
        if (perScope == Integer.MAX_VALUE) {
            return;
        }
        scopes.computeIfAbsent(key.scope(), first -> new LinkedHashMap<>()).put(key.hash(), nanoTime.getAsLong());
        if (scopes.size() > MOST_SCOPES) {
            Iterator<String> eldest = scopes.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** It is known now what became of the key's request. */
    synchronized void resolved(IdempotencyKey key) {
        Map<String, Long> left = scopes.get(key.scope());
        if (left != null && left.remove(key.hash()) != null && left.isEmpty()) {
            scopes.remove(key.scope());
        }
    }
}
