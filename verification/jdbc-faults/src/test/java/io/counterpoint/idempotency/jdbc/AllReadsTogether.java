package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.IdempotencyStore;

/** A store whose every read is coalesced, whether there are concurrent callers or not. */
public final class AllReadsTogether {

    private AllReadsTogether() {}

    public static <C> IdempotencyStore<C> of(IdempotencyStore<C> store) {
        return new CoalescingStore<>(store, 0, () -> "one");
    }
}
