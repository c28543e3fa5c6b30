package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The tokens of this process's calls that have ended while their records may still be {@code Pending}. The next call
 * for such a key takes over the record at once, without the grace period, because no work runs under that token any
 * more.
 *
 * <p>Bounded and lossy: the oldest key is forgotten first. A forgotten key has to wait for the grace period.
 */
public final class UnfinishedAttempts {

    static final int MOST = 10_000;

    private static final int MOST_OF_A_KEY = 16;

    private final Map<IdempotencyKey, List<Tokens.Range>> tokens = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<IdempotencyKey, List<Tokens.Range>> eldest) {
            return size() > MOST;
        }
    };

    /** Written under the lock but read without it: a call that misses an entry only waits for the grace period. */
    private volatile boolean empty = true;

    /**
     * Adds the tokens of a call that has ended to those of earlier calls. The oldest are the most likely to match the
     * record.
     */
    void remember(IdempotencyKey key, Tokens.Range ofCall) {
        synchronized (tokens) {
            List<Tokens.Range> all = new ArrayList<>(tokens.getOrDefault(key, List.of()));
            all.add(ofCall);
            tokens.put(key, List.copyOf(all.subList(0, Math.min(all.size(), MOST_OF_A_KEY))));
            empty = false;
        }
    }

    void forget(IdempotencyKey key) {
        if (!empty) {
            synchronized (tokens) {
                tokens.remove(key);
                empty = tokens.isEmpty();
            }
        }
    }

    boolean contains(IdempotencyKey key, UUID token) {
        if (empty) {
            return false;
        }
        synchronized (tokens) {
            return tokens.getOrDefault(key, List.of()).stream().anyMatch(range -> range.contains(token));
        }
    }
}
