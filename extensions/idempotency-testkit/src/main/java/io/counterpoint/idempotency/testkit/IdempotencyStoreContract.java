package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a store: what the steps do, and what whole operations do over them, under every fault and in races. A
 * store that does not pass is wrong. A subclass is all that it takes:
 *
 * <pre>{@code
 * class MyStoreTest extends IdempotencyStoreContract<Handle> {
 *     @BeforeEach
 *     void empty() { … }
 *
 *     @Override
 *     protected IdempotencyStore<Handle> store() { return store; }
 *
 *     @Override
 *     protected Domain<Handle> domain() { return domain; }
 * }
 * }</pre>
 *
 * <p>The tests need a store that opens two sessions at once, from two threads; races ask for up to 64, and wait for them
 * as long as the store does. Where it matters that time passes, the store's own time is watched until it has.
 *
 * @param <C> the handle of the store
 */
public abstract class IdempotencyStoreContract<C> {

    /** For subclasses. */
    protected IdempotencyStoreContract() {}

    /**
     * The store under test. Asked for once for each test.
     *
     * @return a store without records
     */
    protected abstract IdempotencyStore<C> store();

    /**
     * A domain in the transactions of that store. Asked for once for each test, after {@link #store()}.
     *
     * @return a domain without effects
     */
    protected abstract Domain<C> domain();

    /** How many faults one call meets where every fault is tried at every step. Each one more costs a hundredfold. */
    int faultsInOneCall() {
        return 1;
    }

    private Fixture<C> fixture() {
        return new Fixture<>(this::store, this::domain, faultsInOneCall());
    }

    OperationFixture<C> of(ProtocolVariant way) {
        return new OperationFixture<>(fixture(), way);
    }

    @Nested
    class Claims extends ClaimContract<C> {
        Claims() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class CompareAndSets extends CompareAndSetContract<C> {
        CompareAndSets() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class Confirmations extends ConfirmContract<C> {
        Confirmations() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class Transactions extends TransactionContract<C> {
        Transactions() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class SucceedAndCommits extends SucceedAndCommitContract<C> {
        SucceedAndCommits() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class InsertAndCommits extends InsertAndCommitContract<C> {
        InsertAndCommits() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class SwallowedDeadlocks extends SwallowedDeadlockContract<C> {
        SwallowedDeadlocks() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class Locks extends LockContract<C> {
        Locks() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class Sessions extends SessionContract<C> {
        Sessions() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class MappedStores extends MappedStoreContract<C> {
        MappedStores() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class StoredValues extends StoredValuesContract<C> {
        StoredValues() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class Purges extends PurgeContract<C> {
        Purges() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class ClaimFirst extends ClaimFirstContract<C> {
        ClaimFirst() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.CLAIM_FIRST));
        }
    }

    @Nested
    @Tag("planned")
    class ClaimFirstPlanned extends ClaimFirstContract<C> {
        ClaimFirstPlanned() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.CLAIM_FIRST_PLANNED));
        }
    }

    @Nested
    class SingleTransaction extends InDatabaseContract<C> {
        SingleTransaction() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }

        @Nested
        class Marks extends MarkContract<C> {
            Marks() {
                super(SingleTransaction.this.fixture);
            }
        }
    }

    @Nested
    @Tag("planned")
    class SingleTransactionPlanned extends InDatabaseContract<C> {
        SingleTransactionPlanned() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION_PLANNED));
        }
    }

    @Nested
    class RecordLast extends RecordLastContract<C> {
        RecordLast() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.RECORD_LAST));
        }
    }

    @Nested
    @Tag("matrix")
    @Tag("planned")
    class RecordLastPlanned extends RecordLastContract<C> {
        RecordLastPlanned() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.RECORD_LAST_PLANNED));
        }
    }

    @Nested
    class External extends ExternalContract<C> {
        External() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.EXTERNAL));
        }
    }

    @Nested
    @Tag("planned")
    class ExternalPlanned extends ExternalContract<C> {
        ExternalPlanned() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.EXTERNAL_PLANNED));
        }
    }

    @Nested
    class BatchSteps extends BatchStepContract<C> {
        BatchSteps() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }

    @Nested
    class BatchAnswers extends BatchAnswerContract<C> {
        BatchAnswers() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchFailures extends BatchFailureContract<C> {
        BatchFailures() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchCommits extends BatchCommitContract<C> {
        BatchCommits() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchSweeps extends BatchSweepContract<C> {
        BatchSweeps() {
            super(IdempotencyStoreContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }
}
