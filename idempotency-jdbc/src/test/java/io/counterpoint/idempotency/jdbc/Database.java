package io.counterpoint.idempotency.jdbc;

/** The databases of a test that runs on both. */
enum Database {
    H2 {
        @Override
        TestDatabase open() {
            return TestDatabase.h2();
        }
    },
    POSTGRESQL {
        @Override
        TestDatabase open() {
            return TestDatabase.postgresql();
        }
    };

    abstract TestDatabase open();
}
