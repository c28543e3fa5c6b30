package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;

/**
 * Guesses which keys were seen recently and therefore have a record, so that reading it is cheaper than a failing
 * claim. Races and collisions occasionally make the guess wrong, which only costs a round trip.
 */
public final class RecentKeys {

    private static final int SETS = 1 << 14;

    /**
     * Each set has four tags, the most recent in the lowest bits. A tag is the upper half of a key's hash; the lower
     * half selects the set. With only one tag per set, two keys that are used alternately would evict each other.
     */
    private final long[] sets = new long[SETS];

    boolean contains(IdempotencyKey key) {
        int hash = hash(key);
        return contains(sets[hash & (SETS - 1)], tag(hash));
    }

    void add(IdempotencyKey key) {
        int hash = hash(key);
        int set = hash & (SETS - 1);
        long tags = sets[set];
        if (!contains(tags, tag(hash))) {
            sets[set] = (tags << 16) | tag(hash);
        }
    }

    private static boolean contains(long tags, int tag) {
        return (tags & 0xFFFF) == tag
                || ((tags >>> 16) & 0xFFFF) == tag
                || ((tags >>> 32) & 0xFFFF) == tag
                || (tags >>> 48) == tag;
    }

    private static int hash(IdempotencyKey key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash ^ (hash >>> 15);
    }

    /** Zero marks an empty slot, so no key has it as its tag. */
    private static int tag(int hash) {
        return Math.max(1, hash >>> 16);
    }
}
