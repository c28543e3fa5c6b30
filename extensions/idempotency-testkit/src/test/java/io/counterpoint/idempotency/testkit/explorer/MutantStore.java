package io.counterpoint.idempotency.testkit.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.StoreTransaction;
import io.counterpoint.idempotency.testkit.ForwardingStore;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A forwarding store whose steps know their session, and which hears of commits. */
class MutantStore extends ForwardingStore {

    MutantStore(IdempotencyStore<Transaction> store) {
        super(store);
    }

    /** A mutant of steps. */
    static UnaryOperator<IdempotencyStore<Transaction>> of(UnaryOperator<StoreTransaction<Transaction>> steps) {
        return store -> new MutantStore(store) {
            @Override
            StoreTransaction<Transaction> steps(StoreTransaction<Transaction> real, Session<Transaction> session) {
                return steps.apply(real);
            }
        };
    }

    StoreTransaction<Transaction> steps(StoreTransaction<Transaction> real, Session<Transaction> session) {
        return real;
    }

    void committed(Session<Transaction> session) {}

    @Override
    public Session<Transaction> open() {
        Session<Transaction> session = right.open();
        return new ForwardingSession(session) {
            @Override
            protected StoreTransaction<Transaction> steps(StoreTransaction<Transaction> real) {
                return MutantStore.this.steps(real, session);
            }

            @Override
            public <T> T inTransaction(Function<? super StoreTransaction<Transaction>, ? extends T> body) {
                T answer = super.inTransaction(body);
                committed(session);
                return answer;
            }
        };
    }
}
