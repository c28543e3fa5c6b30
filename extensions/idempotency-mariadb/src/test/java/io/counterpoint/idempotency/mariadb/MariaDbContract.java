package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.jdbc.testkit.DomainRowContract;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
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
    class Rows extends DomainRowContract {
        Rows() {
            super(
                    () -> Jdbi.create(database.pool()),
                    () -> JdbiIdempotencyStore.builder(database.pool())
                            .dialect(TestPool.dialect())
                            .build());
        }
    }
}
