package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** On the databases that the JDBC store knows. MariaDB's own is in its module. */
@Tag("thorough")
class EndedTransactionTest {

    private static PlainDatabase postgreSql;

    private static final Jdbi H2 = Jdbi.create("jdbc:h2:mem:ended-transactions;DB_CLOSE_DELAY=-1");

    @BeforeAll
    static void open() {
        postgreSql = PlainDatabase.open();
    }

    @AfterAll
    static void close() {
        postgreSql.close();
    }

    @Nested
    class OnPostgreSql extends EndedTransactionContract {
        OnPostgreSql() {
            super(
                    () -> Jdbi.create(postgreSql.pool()),
                    () -> JdbiIdempotencyStore.builder(postgreSql.pool())
                            .table("public.idempotency_record")
                            .build(),
                    List.of("COMMIT", "ROLLBACK", "COMMIT AND CHAIN"));
        }

        /** Only the driver knows whether a transaction is open, and not which one. */
        @Override
        boolean shows(Way way, String ending, Then then) {
            return way != Way.RECORD_LAST || (then != Then.MEETS_AN_ERROR && !ending.endsWith("CHAIN"));
        }
    }

    /** By the driver's own connection, whose statements nothing counts. Record last asks nothing then. */
    @Nested
    class PastTheGuardOfPostgreSql extends OnPostgreSql {
        @Override
        void execute(Handle handle, String sql) {
            try (Statement statement = driversOwn(handle.getConnection()).createStatement()) {
                statement.execute(sql);
            } catch (SQLException | ClassNotFoundException thrown) {
                throw new IllegalStateException(thrown);
            }
        }

        private Connection driversOwn(Connection guarded) throws SQLException, ClassNotFoundException {
            return (Connection) guarded.unwrap(Class.forName("org.postgresql.PGConnection"));
        }

        @Override
        boolean shows(Way way, String ending, Then then) {
            return way != Way.RECORD_LAST;
        }
    }

    /** Whose definitions of tables commit. */
    @Nested
    class OnH2 extends EndedTransactionContract {
        OnH2() {
            super(
                    () -> H2,
                    () -> JdbiIdempotencyStore.builder(H2)
                            .table("PUBLIC.IDEMPOTENCY_RECORD")
                            .build(),
                    List.of("COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS defined (id int)"));
        }
    }
}
