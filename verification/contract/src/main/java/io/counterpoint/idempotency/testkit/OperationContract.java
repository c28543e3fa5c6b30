package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Operations, run in one way. */
abstract class OperationContract<C> {

    final OperationFixture<C> fixture;

    OperationContract(OperationFixture<C> fixture) {
        this.fixture = fixture;
    }

    @Nested
    class Answers extends AnswerContract<C> {
        Answers() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Results extends ResultContract<C> {
        Results() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Interrupts extends InterruptContract<C> {
        Interrupts() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class ClaimFaults extends ClaimFaultContract<C> {
        ClaimFaults() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Followers extends FollowerContract<C> {
        Followers() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Sweeps extends SweepContract<C> {
        Sweeps() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Races extends RaceContract<C> {
        Races() {
            super(OperationContract.this.fixture);
        }
    }

    @Nested
    class Doubts extends DoubtContract<C> {
        Doubts() {
            super(OperationContract.this.fixture);
        }
    }
}
