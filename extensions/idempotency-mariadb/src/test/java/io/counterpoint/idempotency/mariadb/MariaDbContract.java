package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;

/** The whole contract on one server, whose pool each subclass opens with options of its own. */
abstract class MariaDbContract extends DialectContract {

    static TestPool database;

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
