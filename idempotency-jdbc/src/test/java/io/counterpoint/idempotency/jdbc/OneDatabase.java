package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.BothDatabases.Kind;
import org.junit.jupiter.api.AfterEach;

/** Tests that each have a database of their own: H2, unless they choose another one. */
abstract class OneDatabase {

    TestDatabase database = TestDatabase.h2();

    @AfterEach
    void close() {
        database.close();
    }

    void on(Kind kind) {
        if (kind == Kind.POSTGRESQL) {
            database.close();
            database = TestDatabase.postgresql();
        }
    }
}
