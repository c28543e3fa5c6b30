package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Claim;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** The in-memory store, with every door open for doing one thing wrong. */
class ForwardingStore implements IdempotencyStore<Transaction> {

    final IdempotencyStore<Transaction> right = new InMemoryIdempotencyStore();

    /** The steps of a transaction. */
    StoreTransaction<Transaction> steps(StoreTransaction<Transaction> transaction) {
        return transaction;
    }

    @Override
    public Session<Transaction> open() {
        return new ForwardingSession(right.open());
    }

    @Override
    public Fault classify(Throwable thrown) {
        return right.classify(thrown);
    }

    @Override
    public int purgeExpired(int batch) {
        return right.purgeExpired(batch);
    }

    class ForwardingSession implements Session<Transaction> {
        final Session<Transaction> session;

        ForwardingSession(Session<Transaction> session) {
            this.session = session;
        }

        @Override
        public <T> T alone(Function<? super StoreTransaction<Transaction>, ? extends T> step) {
            return session.alone(transaction -> step.apply(steps(transaction)));
        }

        @Override
        public <T> T inTransaction(Function<? super StoreTransaction<Transaction>, ? extends T> body) {
            return session.inTransaction(transaction -> body.apply(steps(transaction)));
        }

        @Override
        public void close() {
            session.close();
        }
    }

    /** Steps that do what the other ones do. */
    static class ForwardingSteps implements StoreTransaction<Transaction> {
        final StoreTransaction<Transaction> steps;

        ForwardingSteps(StoreTransaction<Transaction> steps) {
            this.steps = steps;
        }

        @Override
        public Transaction handle() {
            return steps.handle();
        }

        @Override
        public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return steps.claim(record, retention, lockWait, durability);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return steps.read(key);
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return steps.lock(key, lockWait);
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return steps.succeed(key, token, result);
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return steps.fail(key, token, failure);
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return steps.release(key, token);
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return steps.replaceToken(key, token, fresh);
        }

        UUID tokenOf(IdempotencyKey key, UUID otherwise) {
            return steps.read(key).map(IdempotencyRecord::token).orElse(otherwise);
        }
    }
}
