package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import java.util.function.Function;

/** Another store, with every door open for doing one thing wrong. */
public class ForwardingStore implements IdempotencyStore<Transaction> {

    protected final IdempotencyStore<Transaction> right;

    protected ForwardingStore() {
        this(new InMemoryIdempotencyStore());
    }

    protected ForwardingStore(IdempotencyStore<Transaction> right) {
        this.right = right;
    }

    /** The steps of a transaction. */
    protected StoreTransaction<Transaction> steps(StoreTransaction<Transaction> transaction) {
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

    protected class ForwardingSession implements Session<Transaction> {
        protected final Session<Transaction> session;

        protected ForwardingSession(Session<Transaction> session) {
            this.session = session;
        }

        protected StoreTransaction<Transaction> steps(StoreTransaction<Transaction> transaction) {
            return ForwardingStore.this.steps(transaction);
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
}
