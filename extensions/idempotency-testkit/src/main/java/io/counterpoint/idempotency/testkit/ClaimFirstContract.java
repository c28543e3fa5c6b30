package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Whole operations in the store's own database that are claimed in a transaction of their own. */
abstract class ClaimFirstContract<C> extends InDatabaseContract<C> {

    ClaimFirstContract(IdempotencyStoreContract<C> contract, ProtocolVariant way) {
        super(contract, way);
    }

    @Nested
    class SeparateClaims extends SeparateClaimContract<C> {
        SeparateClaims() {
            super(ClaimFirstContract.this);
        }
    }

    @Nested
    class Leaders extends LeaderContract<C> {
        Leaders() {
            super(ClaimFirstContract.this);
        }
    }

    @Nested
    class Marks extends MarkContract<C> {
        Marks() {
            super(ClaimFirstContract.this);
        }
    }

    @Nested
    class Storms extends StormContract<C> {
        Storms() {
            super(ClaimFirstContract.this);
        }
    }

    @Nested
    class OwnAttempts extends OwnAttemptContract<C> {
        OwnAttempts() {
            super(ClaimFirstContract.this);
        }
    }
}
