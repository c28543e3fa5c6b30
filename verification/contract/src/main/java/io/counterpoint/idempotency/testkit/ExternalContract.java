package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Operations with an external effect. */
abstract class ExternalContract<C> extends OperationContract<C> {

    ExternalContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Nested
    class Failures extends ExternalFailureContract<C> {
        Failures() {
            super(ExternalContract.this.fixture);
        }
    }

    @Nested
    class Marks extends ExternalMarkContract<C> {
        Marks() {
            super(ExternalContract.this.fixture);
        }
    }

    @Nested
    class Heals extends ExternalHealContract<C> {
        Heals() {
            super(ExternalContract.this.fixture);
        }
    }

    @Nested
    class SeparateClaims extends SeparateClaimContract<C> {
        SeparateClaims() {
            super(ExternalContract.this.fixture);
        }
    }

    @Nested
    class Resolutions extends ResolveContract<C> {
        Resolutions() {
            super(ExternalContract.this.fixture);
        }
    }
}
