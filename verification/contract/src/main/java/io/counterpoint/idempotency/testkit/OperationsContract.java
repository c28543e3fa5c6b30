package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * What operations do on a store, under every fault and in races. It tests the engine on each of this library's stores;
 * the contract of the store itself is {@link IdempotencyStoreContract}. Races open up to 64 sessions at once, and wait
 * for them as long as the store does.
 *
 * @param <C> the handle of the store
 */
public abstract class OperationsContract<C> {

    /** As in {@link IdempotencyStoreContract#store}. */
    protected abstract IdempotencyStore<C> store();

    /** As in {@link IdempotencyStoreContract#domain}. */
    protected abstract Domain<C> domain();

    /**
     * How many faults occur in one call in tests that try every fault at every step. Each additional one costs a
     * hundredfold.
     */
    int faultsInOneCall() {
        return 1;
    }

    OperationFixture<C> of(ProtocolVariant way) {
        return new OperationFixture<>(new Fixture<>(this::store, this::domain), way, faultsInOneCall());
    }

    @Nested
    class ClaimFirst extends ClaimFirstContract<C> {
        ClaimFirst() {
            super(OperationsContract.this.of(ProtocolVariant.CLAIM_FIRST));
        }
    }

    @Nested
    @Tag("planned")
    class ClaimFirstPlanned extends ClaimFirstContract<C> {
        ClaimFirstPlanned() {
            super(OperationsContract.this.of(ProtocolVariant.CLAIM_FIRST_PLANNED));
        }
    }

    @Nested
    class SingleTransaction extends InDatabaseContract<C> {
        SingleTransaction() {
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
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
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION_PLANNED));
        }
    }

    @Nested
    class RecordLast extends RecordLastContract<C> {
        RecordLast() {
            super(OperationsContract.this.of(ProtocolVariant.RECORD_LAST));
        }
    }

    @Nested
    @Tag("matrix")
    @Tag("planned")
    class RecordLastPlanned extends RecordLastContract<C> {
        RecordLastPlanned() {
            super(OperationsContract.this.of(ProtocolVariant.RECORD_LAST_PLANNED));
        }
    }

    @Nested
    class External extends ExternalContract<C> {
        External() {
            super(OperationsContract.this.of(ProtocolVariant.EXTERNAL));
        }
    }

    @Nested
    @Tag("planned")
    class ExternalPlanned extends ExternalContract<C> {
        ExternalPlanned() {
            super(OperationsContract.this.of(ProtocolVariant.EXTERNAL_PLANNED));
        }
    }

    @Nested
    class FollowUps extends FollowUpContract<C> {
        FollowUps() {
            super(OperationsContract.this.of(ProtocolVariant.EXTERNAL_THEN));
        }
    }

    @Nested
    @Tag("planned")
    class FollowUpsPlanned extends FollowUpContract<C> {
        FollowUpsPlanned() {
            super(OperationsContract.this.of(ProtocolVariant.EXTERNAL_THEN_PLANNED));
        }
    }

    @Nested
    class FollowUpFaults extends FollowUpFaultContract<C> {
        FollowUpFaults() {
            super(OperationsContract.this.of(ProtocolVariant.EXTERNAL_THEN));
        }
    }

    @Nested
    class BatchAnswers extends BatchAnswerContract<C> {
        BatchAnswers() {
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchFailures extends BatchFailureContract<C> {
        BatchFailures() {
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchesRecordLast extends BatchRecordLastContract<C> {
        BatchesRecordLast() {
            super(OperationsContract.this.of(ProtocolVariant.RECORD_LAST));
        }
    }

    @Nested
    class BatchCommits extends BatchCommitContract<C> {
        BatchCommits() {
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION));
        }
    }

    @Nested
    class BatchSweeps extends BatchSweepContract<C> {
        BatchSweeps() {
            super(OperationsContract.this.of(ProtocolVariant.SINGLE_TRANSACTION), Protocol.SINGLE_TRANSACTION);
        }
    }

    @Nested
    class BatchSweepsRecordLast extends BatchSweepContract<C> {
        BatchSweepsRecordLast() {
            super(OperationsContract.this.of(ProtocolVariant.RECORD_LAST), Protocol.RECORD_LAST);
        }
    }
}
