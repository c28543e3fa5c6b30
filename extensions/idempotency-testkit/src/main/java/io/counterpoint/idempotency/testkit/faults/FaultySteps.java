package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.BeforeCommitException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of a transaction. A failed step makes every later one fail in the same way. */
final class FaultySteps implements RecordSteps {
    private final ArmedCalls calls;
    private final RecordSteps transaction;

    /** Receives the call of a step that runs alone, whose reply follows the commit. */
    private final @Nullable List<ArmedCall> alone;

    private @Nullable RuntimeException lost;

    private @Nullable ArmedCall commits;

    FaultySteps(ArmedCalls calls, RecordSteps transaction, @Nullable List<ArmedCall> alone) {
        this.calls = calls;
        this.transaction = transaction;
        this.alone = alone;
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        return step(StoreCall.CLAIM, call -> transaction.claim(record, retention, lockWait, durability));
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return step(StoreCall.READ, call -> transaction.read(key));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return step(StoreCall.LOCK, call -> transaction.lock(key, lockWait));
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return compareAndSet(StoreCall.SUCCEED, () -> transaction.succeed(key, token, result));
    }

    /** The step and the commit can fail separately, so they are sent separately. */
    @Override
    public LastStep.Result commitWith(LastStep step) {
        boolean done = step.doneBy(this, insert -> step(StoreCall.INSERT, call -> true));
        if (!done) {
            return LastStep.Result.NOT_MINE;
        }
        refuseIfLost();
        LastStep commit = step.fold(
                one -> new LastStep.RequireNotEnded(one.key()),
                all -> new LastStep.RequireNotEnded(all.successes().get(0).key()),
                none -> none,
                insert -> insert,
                all -> all);
        commits = calls.next(StoreCall.COMMIT);
        commits.begins();
        LastStep.Result result;
        try {
            result = transaction.commitWith(commit);
        } catch (BeforeCommitException unsent) {
            commits = null;
            throw unsent;
        }
        if (result != LastStep.Result.DONE) {
            commits = null;
        }
        return result;
    }

    /** Returns the commit that was sent with the last step, if any. */
    Optional<ArmedCall> commit() {
        return Optional.ofNullable(commits);
    }

    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        return transaction.hasEnded(key, thrown);
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {
        transaction.beginUnclaimed(key);
    }

    @Override
    public boolean takeTurn(IdempotencyKey key) {
        return transaction.takeTurn(key);
    }

    @Override
    public Optional<IdempotencyRecord> readWithoutTurn(IdempotencyKey key) {
        return step(StoreCall.READ, call -> transaction.readWithoutTurn(key));
    }

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return compareAndSet(StoreCall.FAIL, () -> transaction.fail(key, token, failure));
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return compareAndSet(StoreCall.RELEASE, () -> transaction.release(key, token));
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return compareAndSet(StoreCall.REPLACE_TOKEN, () -> transaction.replaceToken(key, token, fresh));
    }

    @Override
    public boolean changeProtocol(
            IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return compareAndSet(
                StoreCall.CHANGE_PROTOCOL, () -> transaction.changeProtocol(key, token, fresh, protocol, plan));
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return compareAndSet(StoreCall.CONFIRM, () -> transaction.confirm(key, token));
    }

    private boolean compareAndSet(StoreCall kind, Supplier<Boolean> step) {
        return step(kind, call -> call.mayChange() && step.get());
    }

    private <T> T step(StoreCall kind, Function<ArmedCall, T> step) {
        refuseIfLost();
        ArmedCall call = calls.next(kind);
        try {
            call.begins();
            T answer = step.apply(call);
            if (alone == null) {
                call.ends();
            } else {
                alone.add(call);
            }
            return answer;
        } catch (RuntimeException thrown) {
            lost = thrown;
            throw thrown;
        }
    }

    void refuseIfLost() {
        if (lost != null) {
            throw lost;
        }
    }
}
