package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Counts the calls of this process that wait, each blocking its thread: per key, including the leader, and per
 * operation. Only calls of operations that wait are counted. The first call for a key is always given a place before
 * its claim, because it may lead.
 */
public final class WaitingCallers {

    static final int OF_A_KEY = 100;

    private final ConcurrentMap<IdempotencyKey, Integer> calls = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Integer> waiting = new ConcurrentHashMap<>();

    /**
     * Gives a call its place before it reads or claims. If another call with its key is running, it may be held back
     * from now on.
     */
    Place enter(IdempotencyKey key, int maxWaiting) {
        Place place = new Place(key, maxWaiting);
        int present = calls.merge(key, 1, Integer::sum);
        place.atKey = present <= OF_A_KEY && (present == 1 || place.mayWait());
        if (!place.atKey) {
            leave(calls, key);
        }
        return place;
    }

    private static <K> void leave(ConcurrentMap<K, Integer> counts, K key) {
        counts.computeIfPresent(key, (unused, present) -> present == 1 ? null : present - 1);
    }

    /** The place that one call has taken. */
    final class Place {
        private final IdempotencyKey key;
        private final int maxWaiting;
        private boolean atKey;
        private boolean waits;

        private Place(IdempotencyKey key, int maxWaiting) {
            this.key = key;
            this.maxWaiting = maxWaiting;
        }

        /** Whether there was no place: the call then reads the record and neither claims nor waits. */
        boolean isRefused() {
            return !atKey;
        }

        /** Whether the call may wait, within the limit of its operation. It is counted until it ends. */
        boolean mayWait() {
            if (!waits && waiting.merge(key.operation(), 1, Integer::sum) > maxWaiting) {
                WaitingCallers.leave(waiting, key.operation());
                return false;
            }
            waits = true;
            return true;
        }

        /** Called at the end of the call. */
        void leave() {
            if (waits) {
                WaitingCallers.leave(waiting, key.operation());
            }
            if (atKey) {
                WaitingCallers.leave(calls, key);
            }
        }
    }
}
