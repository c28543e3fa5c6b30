package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Operations whose effect is in the store's own database. */
abstract class InDatabaseContract<C> extends OperationContract<C> {

    InDatabaseContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Nested
    class Failures extends FailureContract<C> {
        Failures() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class FailureMarks extends FailureMarkContract<C> {
        FailureMarks() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class RunsAgain extends RunAgainContract<C> {
        RunsAgain() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class Commits extends CommitContract<C> {
        Commits() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class PurgesInDoubt extends PurgedInDoubtContract<C> {
        PurgesInDoubt() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class SwallowedConflicts extends SwallowedConflictContract<C> {
        SwallowedConflicts() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class Abandoned extends AbandonedContract<C> {
        Abandoned() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class Takeovers extends TakeoverContract<C> {
        Takeovers() {
            super(InDatabaseContract.this.fixture);
        }
    }

    @Nested
    class Heals extends HealContract<C> {
        Heals() {
            super(InDatabaseContract.this.fixture);
        }
    }
}
