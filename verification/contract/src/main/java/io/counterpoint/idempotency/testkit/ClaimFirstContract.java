package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Operations in the store's own database that are claimed in a separate transaction. */
abstract class ClaimFirstContract<C> extends InDatabaseContract<C> {

    ClaimFirstContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Nested
    class SeparateClaims extends SeparateClaimContract<C> {
        SeparateClaims() {
            super(ClaimFirstContract.this.fixture);
        }
    }

    @Nested
    class Leaders extends LeaderContract<C> {
        Leaders() {
            super(ClaimFirstContract.this.fixture);
        }
    }

    @Nested
    class LeaderOutcomes extends LeaderOutcomeContract<C> {
        LeaderOutcomes() {
            super(ClaimFirstContract.this.fixture);
        }
    }

    @Nested
    class Marks extends MarkContract<C> {
        Marks() {
            super(ClaimFirstContract.this.fixture);
        }
    }

    @Nested
    class Storms extends StormContract<C> {
        Storms() {
            super(ClaimFirstContract.this.fixture);
        }
    }

    @Nested
    class OwnAttempts extends OwnAttemptContract<C> {
        OwnAttempts() {
            super(ClaimFirstContract.this.fixture);
        }
    }
}
