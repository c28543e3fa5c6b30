package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** On the databases that the JDBC store knows. Those of dialects are in {@link DialectContract}. */
class DomainRowTest {

    private static PlainDatabase postgreSql;

    @BeforeAll
    static void open() {
        postgreSql = PlainDatabase.open("lock_timeout=1s");
    }

    @AfterAll
    static void close() {
        postgreSql.close();
    }

    @Nested
    class OnPostgreSql extends DomainRowContract {
        OnPostgreSql() {
            super(() -> Jdbi.create(postgreSql.pool()), () -> JdbiIdempotencyStore.on(postgreSql.pool()));
        }
    }

    @Nested
    class OnH2 extends DomainRowContract {
        OnH2() {
            super(() -> Jdbi.create(source()), () -> JdbiIdempotencyStore.on(source()));
        }

        private static DataSource source() {
            JdbcDataSource source = new JdbcDataSource();
            source.setUrl("jdbc:h2:mem:rows;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=1000");
            return source;
        }
    }
}
