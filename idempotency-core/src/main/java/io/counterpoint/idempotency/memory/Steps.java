package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Duplicate;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The steps of one transaction, each executed under the store's mutex, and the scope of its work. */
final class Steps implements RecordSteps, WorkScope<Transaction> {

    /** The maximum time a compare-and-set waits for the record's lock. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    private final InMemoryIdempotencyStore store;
    private final Transaction transaction;

    Steps(InMemoryIdempotencyStore store, Transaction transaction) {
        this.store = store;
        this.transaction = transaction;
    }

    @Override
    public Transaction handle() {
        return transaction;
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        return store.locked(() -> {
            IdempotencyKey key = record.key();
            Row there = transaction.row(key);
            if (there != null) {
                return Optional.of(there.seenAt(store.now()));
            }
            Slot slot = transaction.own(key, lockWait);
            long now = store.now();
            if (slot.written != null) {
                return Optional.of(slot.written.seenAt(now));
            }
            slot.written = new Row(record, now, retention);
            return Optional.empty();
        });
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return store.locked(() -> {
            Row row = transaction.row(key);
            return row == null ? Optional.empty() : Optional.of(row.seenAt(store.now()));
        });
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return store.locked(() -> {
            if (transaction.row(key) != null) {
                transaction.own(key, lockWait);
            }
            return read(key);
        });
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return change(key, token, Pending.class, pending -> pending.succeeded(result));
    }

    @Override
    public LastStep.Result commitWith(LastStep step) {
        boolean done = step.doneBy(this, insert -> {
            if (claim(insert.record(), insert.retention(), insert.lockWait(), Durability.DURABLE)
                    .isPresent()) {
                throw new Duplicate(insert.record().key());
            }
            return true;
        });
        transaction.close(done);
        return done ? LastStep.Result.DONE : LastStep.Result.NOT_MINE;
    }

    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        return false;
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {}

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return change(key, token, Pending.class, pending -> pending.failed(failure));
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return change(key, token, Pending.class, pending -> null);
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return change(key, token, Pending.class, pending -> pending.ledBy(fresh));
    }

    @Override
    public boolean changeProtocol(
            IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return change(key, token, Pending.class, pending -> pending.ledUnder(protocol, fresh, plan));
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return change(key, token, IdempotencyRecord.class, record -> record);
    }

    /** Compares and sets a record in the given state under the given token. */
    private <T extends IdempotencyRecord> boolean change(
            IdempotencyKey key, UUID token, Class<T> state, Function<T, @Nullable IdempotencyRecord> change) {
        return store.locked(() -> {
            if (transaction.row(key) == null) {
                return false;
            }
            Slot slot = transaction.own(key, LOCK_WAIT);
            Row row = slot.written;
            if (row == null
                    || !state.isInstance(row.record())
                    || !row.record().token().equals(token)) {
                return false;
            }
            IdempotencyRecord changed = change.apply(state.cast(row.record()));
            slot.written = changed == null ? null : new Row(changed, store.now(), row.retention());
            return true;
        });
    }
}
