package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.PlainPostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** On PostgreSQL, or on the server that {@code plain.url} names. */
@Tag("thorough")
class PlainPostgreSqlDialectTest extends DialectContract {

    private static PlainDatabase database;

    @BeforeAll
    static void open() {
        database = PlainDatabase.open();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Dialect dialect() {
        return PlainPostgreSqlDialect.create();
    }

    @Override
    protected DataSource dataSource() {
        return database.pool();
    }
}
