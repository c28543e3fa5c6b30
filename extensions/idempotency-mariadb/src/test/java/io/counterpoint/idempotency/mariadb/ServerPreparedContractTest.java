package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Statements that the server prepares, and a driver that counts changed rows only. */
@Tag("matrix")
class ServerPreparedContractTest extends DialectContract {

    private static TestPool database;

    @BeforeAll
    static void open() {
        database = TestPool.with("&useServerPrepStmts=true&useAffectedRows=true");
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
