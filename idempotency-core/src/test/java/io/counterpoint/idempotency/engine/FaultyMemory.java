package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** An in-memory store with faults that a test injects around its calls. A {@link StoreException} names its fault. */
abstract class FaultyMemory extends ForwardingStore<Transaction> {

    enum Call {
        OPEN,
        OPEN_FOR_CLAIM,
        READ,
        BARRIER,
        STEP,
        TRANSACTION
    }

    /** Whether the COMMIT of the last transaction may be under way. */
    boolean commitSent;

    FaultyMemory(InMemoryIdempotencyStore memory) {
        super(memory);
    }

    /** Makes the call. A fault throws before it or after it. */
    <T> T around(Call call, Supplier<T> made) {
        return made.get();
    }

    RecordSteps steps(RecordSteps real) {
        return real;
    }

    WorkScope<Transaction> scope(WorkScope<Transaction> real) {
        return real;
    }

    @Override
    public Fault classify(Throwable thrown) {
        return thrown instanceof StoreException known ? known.fault() : super.classify(thrown);
    }

    @Override
    public Session<Transaction> open(IdempotencyKey key) {
        return around(Call.OPEN, () -> super.open(key));
    }

    @Override
    public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
        return around(Call.OPEN_FOR_CLAIM, () -> super.openForClaim(key, maxWait));
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return around(Call.READ, () -> super.read(key));
    }

    @Override
    public void awaitDurable(IdempotencyKey key) {
        boolean unused = around(Call.BARRIER, () -> true);
    }

    @Override
    protected Session<Transaction> decorate(Session<Transaction> real) {
        commitSent = false;
        return new ForwardingSession<>(real) {
            @Override
            public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
                return around(Call.STEP, () -> session.<T>autoCommit(step));
            }

            @Override
            public Optional<IdempotencyRecord> claimAndLock(
                    Pending pending, Duration retention, Duration lockWait, Durability durability) {
                return around(Call.STEP, () -> session.claimAndLock(pending, retention, lockWait, durability));
            }

            @Override
            public <T> T inTransaction(
                    BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                commitSent = false;
                return around(
                        Call.TRANSACTION,
                        () -> session.<T>inTransaction((steps, scope) -> body.apply(steps(steps), scope(scope))));
            }

            @Override
            public boolean commitMayBeSent() {
                return commitSent || super.commitMayBeSent();
            }
        };
    }
}
