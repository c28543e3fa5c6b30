package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;

/**
 * The contract of a store: what each step does, alone and concurrently with others. A store that fails it is incorrect;
 * on one that passes, operations keep their promises, which this library tests itself. All you need is a subclass:
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
 * <p>The tests need a store that can open two sessions at once, from two threads, and a few more for overlapping
 * claims. Tests that depend on time wait until the store's own clock has advanced.
 *
 * @param <C> the handle of the store
 */
public abstract class IdempotencyStoreContract<C> {

    /** For use by subclasses. */
    protected IdempotencyStoreContract() {}

    /**
     * Returns the store under test. Called once per test.
     *
     * @return a store without records
     */
    protected abstract IdempotencyStore<C> store();

    /**
     * Returns a domain in the transactions of that store. Called once per test, after {@link #store()}.
     *
     * @return a domain without effects
     */
    protected abstract Domain<C> domain();

    private Fixture<C> fixture() {
        return new Fixture<>(this::store, this::domain);
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
    class BatchSteps extends BatchStepContract<C> {
        BatchSteps() {
            super(IdempotencyStoreContract.this.fixture());
        }
    }
}
