package io.counterpoint.idempotency.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A database that takes an empty text for NULL, as Oracle does. */
@Tag("matrix")
class H2OracleModeContractTest extends JdbiStoreContract {

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.h2("MODE=Oracle");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    TestDatabase database() {
        return database;
    }
}
