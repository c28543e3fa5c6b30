package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import java.util.List;
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

    /** Definitions of tables commit, and so does a procedure that says so. */
    @Override
    protected List<String> endsOfTransactions() {
        return List.of(
                "COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS defined (id int)", "CALL " + TestPool.PROCEDURE);
    }

    @Override
    protected DataSource dataSource() {
        return database.pool();
    }
}
