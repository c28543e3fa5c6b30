package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;

/**
 * The contract of a store whose transactions a framework joins: what the framework holds back, what its participants and
 * callbacks do, and what its own transactions may not. For a store that passes {@link IdempotencyStoreContract} through
 * the framework too.
 *
 * @param <C> the handle of the store
 */
public abstract class JoiningStoreContract<C> {

    /** For subclasses. */
    protected JoiningStoreContract() {}

    /**
     * The store under test. Asked for once for each test.
     *
     * @return a store without records
     */
    protected abstract IdempotencyStore<C> store();

    /**
     * A domain in the transactions of that store. Asked for once for each test, after {@link #store()}.
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
