package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The steps of an {@link InterceptingStore}, all forwarded. The mark before the commit is {@link #succeed} here, so an
 * override of that changes both.
 */
public class ForwardingSteps implements RecordSteps {

    /** The steps that do the work. */
    protected final RecordSteps real;

    /**
     * In front of the steps of a transaction.
     *
     * @param real the steps that do the work
     */
    public ForwardingSteps(RecordSteps real) {
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
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
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
    public void succeedAndCommit(
            IdempotencyKey key, UUID token, Optional<Payload> result, Supplier<? extends RuntimeException> otherwise) {
        if (!succeed(key, token, result)) {
            throw otherwise.get();
        }
    }

    @Override
    public void requireSameTransaction(IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {
        real.requireSameTransaction(key, otherwise);
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {
        real.beginUnclaimed(key);
    }

    @Override
    public void insertAndCommit(
            IdempotencyRecord record,
            Duration retention,
            Duration lockWait,
            Supplier<? extends RuntimeException> otherwise) {
        real.insertAndCommit(record, retention, lockWait, otherwise);
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
