package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A store that forwards everything to another store, including default methods: the base class of decorators, so that
 * none of them loses a method by mistake.
 *
 * @param <C> the handle that domain code gets
 */
public abstract class ForwardingStore<C> implements IdempotencyStore<C> {

    /** The store that does the work. */
    protected final IdempotencyStore<C> store;

    /**
     * Creates a decorator of a store.
     *
     * @param store the store that does the work
     */
    protected ForwardingStore(IdempotencyStore<C> store) {
        this.store = store;
    }

    /**
     * Decorates each session that is opened.
     *
     * @param session a session of the other store
     * @return the session that the caller gets: the given one, or a {@link ForwardingSession} around it
     */
    protected Session<C> decorate(Session<C> session) {
        return session;
    }

    @Override
    public Session<C> open(IdempotencyKey key) {
        return decorate(store.open(key));
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        return decorate(store.openForClaim(key, maxWait));
    }

    @Override
    public void requireNotInside() {
        store.requireNotInside();
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return store.read(key);
    }

    /**
     * Returns this decorator. If the decorated store spans several databases, it then selects one per session rather
     * than once per call: decorate its shards instead.
     *
     * @param key the key of the call
     * @return this
     */
    @Override
    public IdempotencyStore<C> storeFor(IdempotencyKey key) {
        return this;
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
    public IdempotencyStore<C> checkTable() {
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

    /**
     * A scope that forwards everything to another scope.
     *
     * @param <C> the handle that domain code gets
     */
    public abstract static class ForwardingScope<C> implements WorkScope<C> {

        /** The scope in which the work runs. */
        protected final WorkScope<C> scope;

        /**
         * Creates a decorator of a scope.
         *
         * @param scope the scope in which the work runs
         */
        protected ForwardingScope(WorkScope<C> scope) {
            this.scope = scope;
        }

        @Override
        public C handle() {
            return scope.handle();
        }

        @Override
        public void beforeWork() {
            scope.beforeWork();
        }

        @Override
        public void beforeEncoding() {
            scope.beforeEncoding();
        }

        @Override
        public void beforeMark() {
            scope.beforeMark();
        }

        @Override
        public boolean mayRunAgain() {
            return scope.mayRunAgain();
        }

        @Override
        public void afterEnd(End end) {
            scope.afterEnd(end);
        }
    }

    /**
     * A session that forwards everything to another session.
     *
     * @param <C> the handle that domain code gets
     */
    public abstract static class ForwardingSession<C> implements Session<C> {

        /** The session that does the work. */
        protected final Session<C> session;

        /**
         * Creates a decorator of a session.
         *
         * @param session the session that does the work
         */
        protected ForwardingSession(Session<C> session) {
            this.session = session;
        }

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
        public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
            return session.inTransaction(body);
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
