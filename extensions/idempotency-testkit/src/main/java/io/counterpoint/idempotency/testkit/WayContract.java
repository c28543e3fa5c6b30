package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Whole operations, run in one way. */
abstract class WayContract<C> {

    final IdempotencyStoreContract<C> contract;
    final Way way;

    WayContract(IdempotencyStoreContract<C> contract, Way way) {
        this.contract = contract;
        this.way = way;
    }

    @Nested
    class Answers extends AnswerContract<C> {
        Answers() {
            super(WayContract.this);
        }
    }

    @Nested
    class ClaimFaults extends ClaimFaultContract<C> {
        ClaimFaults() {
            super(WayContract.this);
        }
    }

    @Nested
    class Followers extends FollowerContract<C> {
        Followers() {
            super(WayContract.this);
        }
    }

    @Nested
    class Sweeps extends SweepContract<C> {
        Sweeps() {
            super(WayContract.this);
        }
    }

    @Nested
    class Races extends RaceContract<C> {
        Races() {
            super(WayContract.this);
        }
    }

    @Nested
    class Doubts extends DoubtContract<C> {
        Doubts() {
            super(WayContract.this);
        }
    }
}
