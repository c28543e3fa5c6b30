package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The steps of a {@link ForwardingStore} that passes every one of them on. A mark that comes last is {@link #succeed} here,
 * so that whoever overrides that changes both.
 *
 * @param <C> the handle of the store
 */
public class ForwardingSteps<C> implements StoreTransaction<C> {

    /** The steps that do the work. */
    protected final StoreTransaction<C> real;

    /**
     * In front of the steps of a transaction.
     *
     * @param real the steps that do the work
     */
    public ForwardingSteps(StoreTransaction<C> real) {
        this.real = real;
    }

    /**
     * Whatever token a record has now: for steps that ignore the one they are given.
     *
     * @param key the key
     * @param otherwise the token if there is no record
     * @return the token
     */
    protected UUID tokenOf(IdempotencyKey key, UUID otherwise) {
        return real.read(key).map(IdempotencyRecord::token).orElse(otherwise);
    }

    @Override
    public C handle() {
        return real.handle();
    }

    @Override
    public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        return real.claim(record, retention, lockWait, durability);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return real.read(key);
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return real.lock(key, lockWait);
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return real.succeed(key, token, result);
    }

    @Override
    public void requireSameTransaction(IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {
        real.requireSameTransaction(key, otherwise);
    }

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return real.fail(key, token, failure);
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return real.release(key, token);
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return real.replaceToken(key, token, fresh);
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return real.confirm(key, token);
    }
}
