package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.PlainPostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** At the level that databases across machines begin with: any statement can be in conflict, the commit too. */
@Tag("matrix")
class PlainSerializableTest extends DialectContract {

    private static PlainDatabase database;

    @BeforeAll
    static void open() {
        database = PlainDatabase.open("default_transaction_isolation=serializable");
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
