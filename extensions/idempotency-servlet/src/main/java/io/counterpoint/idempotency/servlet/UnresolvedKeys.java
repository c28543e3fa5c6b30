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
 * The keys that this process has left unresolved, by scope, up to a limit per scope. Keys left on other nodes or before
 * a restart are not known here. For a scope that has reached the limit, resolutions by others are detected once a
 * minute. Beyond 10,000 scopes, the least recently used are forgotten.
 */
final class UnresolvedKeys {

    private static final int MOST_SCOPES = 10_000;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final int perScope;
    private final long retention;
    private final LongSupplier nanoTime;

    /** In access order: the least recently used scope comes first. */
    private final Map<String, Left> scopes = new LinkedHashMap<>(16, 0.75f, true);

    UnresolvedKeys(int perScope, Duration retention, LongSupplier nanoTime) {
        this.perScope = perScope;
        this.retention = retention.toNanos();
        this.nanoTime = nanoTime;
    }

    /** The unresolved keys of one scope. */
    private static final class Left {
        /** The keys, and since when each is unresolved. */
        private final Map<IdempotencyKey, Long> since = new LinkedHashMap<>();

        private @Nullable Long asked;
    }

    /**
     * Whether the key's scope may leave one more key unresolved.
     *
     * @param isUnresolved queries the store, for the keys of a full scope
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

    /** Records that the outcome of the key's request is unknown. */
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

    /** Records that the outcome of the key's request is now known. */
    synchronized void resolved(IdempotencyKey key) {
        Left left = scopes.get(key.scope());
        if (left != null && left.since.remove(key) != null && left.since.isEmpty()) {
            scopes.remove(key.scope());
        }
    }
}
