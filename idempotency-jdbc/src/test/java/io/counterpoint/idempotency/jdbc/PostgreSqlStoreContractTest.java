package io.counterpoint.idempotency.jdbc;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgreSqlStoreContractTest extends JdbiStoreContract {

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgresql();
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
