package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * The slot of a key: its committed record, the transaction that holds its lock, and what that transaction has written.
 */
final class Slot {
    final IdempotencyKey key;

    @Nullable
    Row committed;

    @Nullable
    Row written;

    @Nullable
    Transaction owner;

    /** The slot that its owner locked before this one. */
    @Nullable
    Slot before;

    Slot(IdempotencyKey key) {
        this.key = key;
    }

    @Nullable
    Row seenBy(Transaction transaction) {
        return owner == transaction ? written : committed;
    }
}
