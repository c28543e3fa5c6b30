package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many calls of this process wait, each with its thread: at one key, its leader counted, and of one operation. Only calls of
 * operations that wait are counted. The first call at a key is never refused a place before its claim, since it may lead.
 */
public final class WaitingCallers {

    static final int OF_A_KEY = 100;

    private final ConcurrentMap<IdempotencyKey, Integer> calls = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Integer> waiting = new ConcurrentHashMap<>();

    /** The place of a call, before it reads or claims. Beside another call of its key it may be held back from now on. */
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

    /** What one call has taken. */
    final class Place {
        private final IdempotencyKey key;
        private final int maxWaiting;
        private boolean atKey;
        private boolean waits;

        private Place(IdempotencyKey key, int maxWaiting) {
            this.key = key;
            this.maxWaiting = maxWaiting;
        }

        /** Whether there was no place: then the call reads the record, and neither claims nor waits. */
        boolean isRefused() {
            return !atKey;
        }

        /** Whether the call may wait, as one of its operation's. It stays one of them until it ends. */
        boolean mayWait() {
            if (!waits && waiting.merge(key.operation(), 1, Integer::sum) > maxWaiting) {
                WaitingCallers.leave(waiting, key.operation());
                return false;
            }
            waits = true;
            return true;
        }

        /** At the end of the call. */
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
