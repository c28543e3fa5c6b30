package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which dialect a server needs, by its own version text. Those of other makers are put in the way of the real one. */
@Tag("thorough")
class PostgreSqlServerTest {

    private String url;
    private HikariDataSource pool;

    @BeforeEach
    void open() {
        url = PostgresServer.shared().createDatabase();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setMaximumPoolSize(1);
    }

    @AfterEach
    void close() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    /** A function of that name in front of the server's own. */
    private void answer(String version) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$SELECT '" + version + "'::text$$");
        }
        pool.close();
        pool = new HikariDataSource();
        pool.setJdbcUrl(url + "&options=-c%20search_path=public,pg_catalog");
        pool.setMaximumPoolSize(1);
    }

    @Test
    void postgreSqlGetsTheCombinedStatements() throws SQLException {
        assertThat(PlainPostgreSqlDialect.whereNeeded(pool)).isInstanceOf(PostgreSqlDialect.class);
        assertThat(JdbiIdempotencyStore.of(pool, PlainPostgreSqlDialect.whereNeeded(pool))
                        .createTableIfMissing())
                .isNotNull();
    }

    @Test
    void storeForAnotherDatabaseIsRefusedByItsName() {
        assertThatThrownBy(() -> JdbiIdempotencyStore.h2(pool).checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Expected H2, found PostgreSQL");
        assertThatThrownBy(() -> JdbiIdempotencyStore.postgresql(Jdbi.create("jdbc:h2:mem:"))
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("Expected PostgreSQL, found H2");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CockroachDB CCL v24.1.3 (x86_64-pc-linux-gnu, built 2024/07/30)",
                "PostgreSQL 11.2-YB-2.20.1.3-b0 on x86_64-pc-linux-gnu",
                "PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu"
            })
    void serverAcrossMachinesGetsPlainStatementsAndIsRefusedOthers(String version) throws SQLException {
        answer(version);
        Dialect dialect = PlainPostgreSqlDialect.whereNeeded(pool);
        assertThat(dialect).isInstanceOf(PlainPostgreSqlDialect.class);
        assertThat(JdbiIdempotencyStore.of(pool, dialect).createTableIfMissing())
                .isNotNull();
        assertThatThrownBy(() -> JdbiIdempotencyStore.postgresql(pool).checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("PlainPostgreSqlDialect.create()");
    }

    @ParameterizedTest
    @CsvSource({
        "'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.12103', does not enforce",
        "'CrateDB 5.8.1 (built)', CrateDB 5.8.1"
    })
    void serverThatCannotKeepThePromisesIsRefused(String version, String reason) throws SQLException {
        answer(version);
        assertThatThrownBy(() -> PlainPostgreSqlDialect.whereNeeded(pool))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> JdbiIdempotencyStore.of(pool, PlainPostgreSqlDialect.create())
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> JdbiIdempotencyStore.postgresql(pool).checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(reason);
    }
}
