package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Whole operations, run in one way. */
abstract class OperationContract<C> {

    final IdempotencyStoreContract<C> contract;
    final ProtocolVariant way;

    OperationContract(IdempotencyStoreContract<C> contract, ProtocolVariant way) {
        this.contract = contract;
        this.way = way;
    }

    @Nested
    class Answers extends AnswerContract<C> {
        Answers() {
            super(OperationContract.this);
        }
    }

    @Nested
    class ClaimFaults extends ClaimFaultContract<C> {
        ClaimFaults() {
            super(OperationContract.this);
        }
    }

    @Nested
    class Followers extends FollowerContract<C> {
        Followers() {
            super(OperationContract.this);
        }
    }

    @Nested
    class Sweeps extends SweepContract<C> {
        Sweeps() {
            super(OperationContract.this);
        }
    }

    @Nested
    class Races extends RaceContract<C> {
        Races() {
            super(OperationContract.this);
        }
    }

    @Nested
    class Doubts extends DoubtContract<C> {
        Doubts() {
            super(OperationContract.this);
        }
    }
}
