package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;

/** The databases of the outbox. */
enum On {
    H2,
    POSTGRESQL,
    MARIADB;

    TestDatabase create() {
        return this == MARIADB ? TestDatabase.mariaDb() : TestDatabase.create(TestDatabase.Kind.valueOf(name()));
    }
}
