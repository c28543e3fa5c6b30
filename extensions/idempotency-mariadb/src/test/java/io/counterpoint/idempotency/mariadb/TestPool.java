package io.counterpoint.idempotency.mariadb;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;

/** A pool on an empty database of the tests' server. */
final class TestPool implements AutoCloseable {

    /** A procedure of each database that ends the transaction. */
    static final String PROCEDURE = "committing()";

    private final MariaDbServer server;
    private final String url;
    private final HikariDataSource pool;

    private TestPool(MariaDbServer server, UnaryOperator<String> driver, String options) {
        this.server = server;
        this.url = driver.apply(server.createDatabase());
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url + options);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        this.pool = new HikariDataSource(config);
        Jdbi.create(pool).useHandle(handle -> handle.execute("CREATE PROCEDURE " + PROCEDURE + " COMMIT"));
    }

    /** Its sessions begin with that isolation level. */
    static TestPool at(String isolation) {
        return with("&sessionVariables=transaction_isolation='" + isolation + "'");
    }

    static TestPool with(String options) {
        return on(MariaDbServer.shared(), options);
    }

    static TestPool on(MariaDbServer server, String options) {
        return new TestPool(server, UnaryOperator.identity(), options);
    }

    static TestPool by(Driver driver, String options) {
        return by(driver, MariaDbServer.shared(), options);
    }

    static TestPool by(Driver driver, MariaDbServer server, String options) {
        return new TestPool(server, driver::url, options);
    }

    /** By the protocol of the URL. */
    static MariaDbDialect dialect() {
        return MariaDbServer.shared().isMySql() ? MariaDbDialect.mySql() : MariaDbDialect.mariaDb();
    }

    /** The table with its database, as operations that record last want it. */
    String table() {
        return url.replaceFirst("^.*/([^?]*).*$", "$1") + ".idempotency_record";
    }

    String url() {
        return url;
    }

    HikariDataSource pool() {
        return pool;
    }

    @Override
    public void close() {
        pool.close();
        server.drop(url);
    }
}
