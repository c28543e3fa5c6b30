package io.counterpoint.idempotency.testkit;

import org.junit.jupiter.api.Nested;

/** Whole operations whose effect is in the store's own database. */
abstract class InDatabaseContract<C> extends OperationContract<C> {

    InDatabaseContract(IdempotencyStoreContract<C> contract, ProtocolVariant way) {
        super(contract, way);
    }

    @Nested
    class Failures extends FailureContract<C> {
        Failures() {
            super(InDatabaseContract.this);
        }
    }

    @Nested
    class Commits extends CommitContract<C> {
        Commits() {
            super(InDatabaseContract.this);
        }
    }

    @Nested
    class Abandoned extends AbandonedContract<C> {
        Abandoned() {
            super(InDatabaseContract.this);
        }
    }

    @Nested
    class Heals extends HealContract<C> {
        Heals() {
            super(InDatabaseContract.this);
        }
    }
}
