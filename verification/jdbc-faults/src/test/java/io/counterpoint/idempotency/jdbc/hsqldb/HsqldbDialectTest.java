package io.counterpoint.idempotency.jdbc.hsqldb;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A dialect of two files passes the contract. */
@Tag("thorough")
class HsqldbDialectTest extends DialectContract {

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:hsqldb:mem:contract;hsqldb.tx=mvcc;sql.pad_space=false");
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        pool = new HikariDataSource(config);
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    @Override
    protected Dialect dialect() {
        return new HsqldbDialect(RecordTable.DEFAULT);
    }

    @Override
    protected DataSource dataSource() {
        return pool;
    }

    /** Definitions of tables commit. */
    @Override
    protected List<String> endsOfTransactions() {
        return List.of("COMMIT", "ROLLBACK", "CREATE TABLE IF NOT EXISTS defined (id int)");
    }
}
