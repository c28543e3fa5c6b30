package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many calls of this process may be at one key, its leader and those that wait for it: each holds a thread. Only calls of
 * operations that wait are counted. One that finds no place reads the record, and neither claims nor waits.
 */
public final class Places {

    static final int OF_A_KEY = 100;

    private final ConcurrentMap<IdempotencyKey, Integer> taken = new ConcurrentHashMap<>();

    boolean take(IdempotencyKey key) {
        if (taken.merge(key, 1, Integer::sum) <= OF_A_KEY) {
            return true;
        }
        leave(key);
        return false;
    }

    void leave(IdempotencyKey key) {
        taken.computeIfPresent(key, (unused, calls) -> calls == 1 ? null : calls - 1);
    }
}
