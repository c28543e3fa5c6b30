package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RepeatableReadContractTest extends DialectContract {

    private static TestPool database;

    @BeforeAll
    static void open() {
        database = TestPool.at("REPEATABLE-READ");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Dialect dialect() {
        return TestPool.dialect();
    }

    @Override
    protected DataSource dataSource() {
        return database.pool();
    }
}
