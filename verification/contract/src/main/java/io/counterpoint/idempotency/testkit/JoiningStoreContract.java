package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;

/**
 * The contract of a store whose transactions a framework joins: what the framework defers, what its participants and
 * callbacks do, and what its own transactions must not do. The store must also pass {@link IdempotencyStoreContract}
 * through the framework.
 *
 * @param <C> the handle of the store
 */
public abstract class JoiningStoreContract<C> {

    /** For subclasses. */
    protected JoiningStoreContract() {}

    /**
     * Returns the store under test. Called once per test.
     *
     * @return a store without records
     */
    protected abstract IdempotencyStore<C> store();

    /**
     * Returns a domain in the transactions of that store. Called once per test, after {@link #store()}.
     *
     * @return a domain without effects and entries
     */
    protected abstract JoiningDomain<C> domain();

    private OperationFixture<C> of(ProtocolVariant way) {
        return new OperationFixture<>(new Fixture<>(this::store, this::domain), way, 1);
    }

    @Nested
    class ClaimFirst extends JoinedTransactionContract<C> {
        ClaimFirst() {
            super(JoiningStoreContract.this.of(ProtocolVariant.CLAIM_FIRST));
        }
    }

    @Nested
    class ClaimFirstPlanned extends JoinedTransactionContract<C> {
        ClaimFirstPlanned() {
            super(JoiningStoreContract.this.of(ProtocolVariant.CLAIM_FIRST_PLANNED));
        }
    }

    @Nested
    class SingleTransaction extends JoinedTransactionContract<C> {
        SingleTransaction() {
            super(JoiningStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class SingleTransactionPlanned extends JoinedTransactionContract<C> {
        SingleTransactionPlanned() {
            super(JoiningStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION_PLANNED));
        }
    }
}
