package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import org.jspecify.annotations.Nullable;

/** The place of a key: what is committed there, whose lock is on it, and what that transaction has written. */
final class Slot {
    final IdempotencyKey key;

    @Nullable
    Row committed;

    @Nullable
    Row written;

    @Nullable
    Transaction owner;

    /** The one that its owner locked before. */
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
