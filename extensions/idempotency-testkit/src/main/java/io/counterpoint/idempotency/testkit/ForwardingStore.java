package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.util.Optional;
import java.util.function.Function;

/**
 * A store that passes everything on to another. Subclasses override what they watch, or what they do wrong on purpose: a
 * test that a wrong store passes has no teeth.
 *
 * @param <C> the handle of the store
 */
public class ForwardingStore<C> implements IdempotencyStore<C> {

    /** The store that does the work. */
    protected final IdempotencyStore<C> store;

    /**
     * In front of a store.
     *
     * @param store the store that does the work
     */
    public ForwardingStore(IdempotencyStore<C> store) {
        this.store = store;
    }

    /**
     * The steps that callers of this store get in one transaction; here the real ones.
     *
     * @param real the steps of the other store
     * @param session their session, of the other store
     * @return what callers get, such as {@link ForwardingSteps}
     */
    protected StoreTransaction<C> steps(StoreTransaction<C> real, Session<C> session) {
        return real;
    }

    /**
     * Called after the commit of a transaction with a body; does nothing here.
     *
     * @param session its session, of the other store
     */
    protected void committed(Session<C> session) {}

    @Override
    public Session<C> open() {
        return new ForwardingSession(store.open());
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

    /** Passes everything on, with {@link #steps} in between. */
    protected class ForwardingSession implements Session<C> {

        /** The session that does the work. */
        protected final Session<C> session;

        /**
         * In front of a session.
         *
         * @param session the session that does the work
         */
        public ForwardingSession(Session<C> session) {
            this.session = session;
        }

        @Override
        public <T> T alone(Function<? super StoreTransaction<C>, ? extends T> step) {
            return session.alone(real -> step.apply(steps(real, session)));
        }

        @Override
        public <T> T inTransaction(Function<? super StoreTransaction<C>, ? extends T> body) {
            T answer = session.inTransaction(real -> body.apply(steps(real, session)));
            committed(session);
            return answer;
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
}
