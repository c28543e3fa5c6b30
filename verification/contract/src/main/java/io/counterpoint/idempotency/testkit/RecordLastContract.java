package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Operations without a claim, whose record is inserted with the commit. */
abstract class RecordLastContract<C> {

    final OperationFixture<C> fixture;

    RecordLastContract(OperationFixture<C> fixture) {
        this.fixture = fixture;
    }

    @Nested
    class Rules extends RecordLastRulesContract<C> {
        Rules() {
            super(RecordLastContract.this.fixture);
        }
    }

    @Nested
    class Doubts extends RecordLastDoubtContract<C> {
        Doubts() {
            super(RecordLastContract.this.fixture);
        }
    }

    @Nested
    class Interrupts extends InterruptContract<C> {
        Interrupts() {
            super(RecordLastContract.this.fixture);
        }
    }

    @Nested
    class Sweeps extends SweepContract<C> {
        Sweeps() {
            super(RecordLastContract.this.fixture);
        }
    }

    @Nested
    class SwallowedConflicts extends SwallowedConflictContract<C> {
        SwallowedConflicts() {
            super(RecordLastContract.this.fixture);
        }
    }

    @Nested
    class Races extends RaceContract<C> {
        Races() {
            super(RecordLastContract.this.fixture);
        }
    }
}
