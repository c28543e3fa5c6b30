package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.OperationsContract;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

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

    @Nested
    class Operations extends OperationsContract<Handle> {
        @Override
        protected IdempotencyStore<Handle> store() {
            return MariaDbContract.this.store();
        }

        @Override
        protected Domain<Handle> domain() {
            return MariaDbContract.this.domain();
        }
    }
}
