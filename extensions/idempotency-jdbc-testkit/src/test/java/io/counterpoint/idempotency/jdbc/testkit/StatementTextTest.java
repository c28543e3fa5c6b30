package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** On the databases that the JDBC store knows. MariaDB's own is in its module. */
@Tag("thorough")
class StatementTextTest {

    private static PlainDatabase postgreSql;

    @BeforeAll
    static void open() {
        postgreSql = PlainDatabase.open();
    }

    @AfterAll
    static void close() {
        postgreSql.close();
    }

    @Nested
    class OnPostgreSql extends StatementTextContract {
        OnPostgreSql() {
            super(
                    () -> postgreSql.pool(),
                    () -> JdbiIdempotencyStore.builder(postgreSql.pool()).build(),
                    true);
        }
    }

    @Nested
    class OnH2 extends StatementTextContract {
        OnH2() {
            super(OnH2::source, () -> JdbiIdempotencyStore.builder(source()).build(), true);
        }

        private static DataSource source() {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl("jdbc:h2:mem:texts;DB_CLOSE_DELAY=-1");
            return source;
        }
    }
}
