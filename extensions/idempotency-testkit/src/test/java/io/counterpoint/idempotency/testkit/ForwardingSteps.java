package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Steps that do what the other ones do. A wrong store overrides the one in which it is wrong. */
public class ForwardingSteps implements StoreTransaction<Transaction> {
    private final StoreTransaction<Transaction> forwarded;

    protected ForwardingSteps(StoreTransaction<Transaction> steps) {
        this.forwarded = steps;
    }

    @Override
    public Transaction handle() {
        return forwarded.handle();
    }

    @Override
    public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        return forwarded.claim(record, retention, lockWait, durability);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return forwarded.read(key);
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return forwarded.lock(key, lockWait);
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return forwarded.succeed(key, token, result);
    }

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return forwarded.fail(key, token, failure);
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return forwarded.release(key, token);
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return forwarded.replaceToken(key, token, fresh);
    }

    /** The token that the record has now: what a step writes that does not look whose record it is. */
    protected final UUID tokenOf(IdempotencyKey key, UUID otherwise) {
        return forwarded.read(key).map(IdempotencyRecord::token).orElse(otherwise);
    }
}
