package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** A store whose handle is seen through another type. */
record MappedStore<C, D>(IdempotencyStore<C> store, Function<? super C, ? extends D> view)
        implements IdempotencyStore<D> {

    @Override
    public Session<D> open() {
        return new MappedSession<>(store.open(), view);
    }

    @Override
    public Session<D> open(IdempotencyKey key, Duration patience) {
        return new MappedSession<>(store.open(key, patience), view);
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return store.read(key);
    }

    @Override
    public Fault classify(Throwable thrown) {
        return store.classify(thrown);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return store.describe(thrown);
    }

    @Override
    public int purgeExpired(int batch) {
        return store.purgeExpired(batch);
    }

    private record MappedSession<C, D>(Session<C> session, Function<? super C, ? extends D> view)
            implements Session<D> {
        @Override
        public boolean seemsClaimed() {
            return session.seemsClaimed();
        }

        @Override
        public <T> T alone(Function<? super StoreTransaction<D>, ? extends T> step) {
            return session.alone(transaction -> step.apply(new MappedTransaction<>(transaction, view)));
        }

        @Override
        public Claim claimToLead(Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return session.claimToLead(pending, retention, lockWait, durability);
        }

        @Override
        public <T> T inTransaction(Function<? super StoreTransaction<D>, ? extends T> body) {
            return session.inTransaction(transaction -> body.apply(new MappedTransaction<>(transaction, view)));
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return session.afterCommitFailure();
        }

        @Override
        public void close() {
            session.close();
        }
    }

    private record MappedTransaction<C, D>(StoreTransaction<C> transaction, Function<? super C, ? extends D> view)
            implements StoreTransaction<D> {
        @Override
        public D handle() {
            return view.apply(transaction.handle());
        }

        @Override
        public Claim claim(IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
            return transaction.claim(record, retention, lockWait, durability);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            return transaction.read(key);
        }

        @Override
        public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
            return transaction.lock(key, lockWait);
        }

        @Override
        public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
            return transaction.succeed(key, token, result);
        }

        @Override
        public void succeedLast(
                IdempotencyKey key,
                UUID token,
                Optional<Payload> result,
                Supplier<? extends RuntimeException> otherwise) {
            transaction.succeedLast(key, token, result, otherwise);
        }

        @Override
        public void requireSameTransaction(IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {
            transaction.requireSameTransaction(key, otherwise);
        }

        @Override
        public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
            return transaction.fail(key, token, failure);
        }

        @Override
        public boolean release(IdempotencyKey key, UUID token) {
            return transaction.release(key, token);
        }

        @Override
        public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
            return transaction.replaceToken(key, token, fresh);
        }

        @Override
        public boolean confirm(IdempotencyKey key, UUID token) {
            return transaction.confirm(key, token);
        }
    }
}
