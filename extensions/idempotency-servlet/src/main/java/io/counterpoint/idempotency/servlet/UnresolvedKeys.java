package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The keys that this process has left unresolved, by scope, at most so many of each. What is left on other nodes or was left
 * before a restart is not known here. What others resolve is found out once a minute, for a scope that is full. Of more than
 * 10,000 scopes, those are forgotten that have been quiet for longest.
 */
final class UnresolvedKeys {

    private static final int MOST_SCOPES = 10_000;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final int perScope;
    private final long retention;
    private final LongSupplier nanoTime;

    /** The scope that was quiet for longest comes first. */
    private final Map<String, Left> scopes = new LinkedHashMap<>(16, 0.75f, true);

    UnresolvedKeys(int perScope, Duration retention, LongSupplier nanoTime) {
        this.perScope = perScope;
        this.retention = retention.toNanos();
        this.nanoTime = nanoTime;
    }

    /** What one scope has left. */
    private static final class Left {
        /** The keys, and when each was left. */
        private final Map<IdempotencyKey, Long> since = new LinkedHashMap<>();

        private @Nullable Long asked;
    }

    /**
     * Whether the key's scope may leave one more key unresolved.
     *
     * @param isUnresolved asks the store for the keys of a full scope
     */
    boolean hasRoomFor(IdempotencyKey key, Predicate<IdempotencyKey> isUnresolved) {
        if (fits(key)) {
            return true;
        }
        toBeAsked(key.scope()).stream().filter(isUnresolved.negate()).forEach(this::resolved);
        return fits(key);
    }

    private synchronized boolean fits(IdempotencyKey key) {
        Left left = scopes.get(key.scope());
        if (left == null) {
            return true;
        }
        long now = nanoTime.getAsLong();
        left.since.values().removeIf(since -> now - since > retention);
        return left.since.size() < perScope || left.since.containsKey(key);
    }

    private synchronized List<IdempotencyKey> toBeAsked(String scope) {
        Left left = scopes.get(scope);
        long now = nanoTime.getAsLong();
        if (left == null || (left.asked != null && now - left.asked < MINUTE)) {
            return List.of();
        }
        left.asked = now;
        return List.copyOf(left.since.keySet());
    }

    /** It is not known what became of the key's request. */
    synchronized void left(IdempotencyKey key) {
        if (perScope == Integer.MAX_VALUE) {
            return;
        }
        scopes.computeIfAbsent(key.scope(), first -> new Left()).since.put(key, nanoTime.getAsLong());
        if (scopes.size() > MOST_SCOPES) {
            Iterator<String> eldest = scopes.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
    }

    /** It is known now what became of the key's request. */
    synchronized void resolved(IdempotencyKey key) {
        Left left = scopes.get(key.scope());
        if (left != null && left.since.remove(key) != null && left.since.isEmpty()) {
            scopes.remove(key.scope());
        }
    }
}
