package io.counterpoint.idempotency.jdbc.plain;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.testing.PostgresServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The template of docs/add-a-database.md for servers that speak PostgreSQL passes the contract, on PostgreSQL. */
@Tag("thorough")
class PlainPostgreSqlDialectTest extends DialectContract {

    private static String url;
    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        url = PostgresServer.shared().createDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
    }

    @AfterAll
    static void close() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }

    @Override
    protected Dialect dialect() {
        return new PlainPostgreSqlDialect(RecordTable.DEFAULT);
    }

    @Override
    protected DataSource dataSource() {
        return pool;
    }
}
