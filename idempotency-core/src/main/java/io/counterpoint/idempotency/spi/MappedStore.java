package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A store whose handle is seen through another type. */
record MappedStore<C, D>(IdempotencyStore<C> store, Function<? super C, ? extends D> view)
        implements IdempotencyStore<D> {

    @Override
    public Session<D> open(IdempotencyKey key) {
        return new MappedSession<>(store.open(key), view);
    }

    @Override
    public Session<D> openForClaim(IdempotencyKey key, Duration maxWait) {
        return new MappedSession<>(store.openForClaim(key, maxWait), view);
    }

    @Override
    public void requireNotInside() {
        store.requireNotInside();
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return store.read(key);
    }

    @Override
    public IdempotencyStore<D> storeFor(IdempotencyKey key) {
        IdempotencyStore<C> one = store.storeFor(key);
        return one == store ? this : new MappedStore<>(one, view);
    }

    @Override
    public void awaitDurable(IdempotencyKey key) {
        store.awaitDurable(key);
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
    public Optional<String> remedy(Throwable thrown) {
        return store.remedy(thrown);
    }

    @Override
    public boolean keepsEveryInsert() {
        return store.keepsEveryInsert();
    }

    @Override
    public IdempotencyStore<D> checkTable() {
        IdempotencyStore<C> unused = store.checkTable();
        return this;
    }

    @Override
    public int purgeExpired(int batch) {
        return store.purgeExpired(batch);
    }

    @Override
    public boolean isOneDatabase(Collection<IdempotencyKey> keys) {
        return store.isOneDatabase(keys);
    }

    @Override
    public LockScope lockScope() {
        return store.lockScope();
    }

    private record MappedSession<C, D>(Session<C> session, Function<? super C, ? extends D> view)
            implements Session<D> {
        @Override
        public boolean probablyClaimed() {
            return session.probablyClaimed();
        }

        @Override
        public boolean hasTurn() {
            return session.hasTurn();
        }

        @Override
        public <T> T autoCommit(Function<? super RecordSteps, ? extends T> step) {
            return session.autoCommit(step);
        }

        @Override
        public Optional<IdempotencyRecord> claimAndLock(
                Pending pending, Duration retention, Duration lockWait, Durability durability) {
            return session.claimAndLock(pending, retention, lockWait, durability);
        }

        @Override
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<D>, ? extends T> body) {
            return session.inTransaction((steps, scope) -> body.apply(steps, scope.mapped(view)));
        }

        @Override
        public boolean commitMayBeSent() {
            return session.commitMayBeSent();
        }

        @Override
        public Optional<Throwable> afterCommitFailure() {
            return session.afterCommitFailure();
        }

        @Override
        public boolean isOutlived() {
            return session.isOutlived();
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
