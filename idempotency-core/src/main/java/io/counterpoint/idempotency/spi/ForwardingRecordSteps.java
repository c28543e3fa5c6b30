package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Steps that forward each single-key step to other steps. The multi-key steps call the single-key ones, so that an
 * override applies to them too. Override them if the other steps make fewer round trips.
 */
public abstract class ForwardingRecordSteps implements RecordSteps {

    /** The steps that do the work. */
    protected final RecordSteps real;

    /**
     * Creates a decorator of steps.
     *
     * @param real the steps that do the work
     */
    protected ForwardingRecordSteps(RecordSteps real) {
        this.real = real;
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
    public LastStep.Result commitWith(LastStep step) {
        return real.commitWith(step);
    }

    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        return real.hasEnded(key, thrown);
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {
        real.beginUnclaimed(key);
    }

    @Override
    public boolean takeTurn(IdempotencyKey key) {
        return real.takeTurn(key);
    }

    @Override
    public Optional<IdempotencyRecord> readWithoutTurn(IdempotencyKey key) {
        return real.readWithoutTurn(key);
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
    public boolean changeProtocol(
            IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return real.changeProtocol(key, token, fresh, protocol, plan);
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return real.confirm(key, token);
    }
}
