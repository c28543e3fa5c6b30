package io.counterpoint.idempotency.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database with the domain's tables, and the pool that all variants share. */
final class BenchmarkDatabase implements AutoCloseable {

    private final HikariDataSource pool;

    private BenchmarkDatabase(HikariDataSource pool) {
        this.pool = pool;
    }

    /** Opens a database. If it has been opened before, perhaps through a proxy, its tables are kept. */
    static BenchmarkDatabase open(String jdbcUrl, int connections) {
        BenchmarkDatabase database = new BenchmarkDatabase(pool(jdbcUrl, connections));
        try (Connection connection = database.pool.getConnection()) {
            Domain.createTablesIfMissing(connection);
            database.borrowAtOnce(connections - 1);
            return database;
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw new IllegalStateException("cannot make the domain's tables: " + e.getMessage(), e);
        }
    }

    /** Opens a database with a pool for a number of callers. */
    static BenchmarkDatabase forCallers(int threads, String jdbcUrl) {
        return open(jdbcUrl, connectionsFor(threads));
    }

    /**
     * The pool size for a number of callers: one connection per caller, but at least the two that DBOS needs to start,
     * and no more than a small server can handle.
     */
    static int connectionsFor(int threads) {
        return Math.max(2, Math.min(threads, 16));
    }

    /** Opens all connections in advance, because opening one later, in the background, would be measured. */
    private void borrowAtOnce(int connections) throws SQLException {
        if (connections > 0) {
            Connection one = pool.getConnection();
            try {
                borrowAtOnce(connections - 1);
            } finally {
                one.close();
            }
        }
    }

    private static HikariDataSource pool(String jdbcUrl, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    HikariDataSource pool() {
        return pool;
    }

    /** Another pool for the same database, for work that must not wait for the callers' connections. */
    HikariDataSource anotherPool(int connections) {
        return pool(pool.getJdbcUrl(), connections);
    }

    void execute(String sql, Object... values) {
        try (Connection connection = pool.getConnection()) {
            Domain.execute(connection, sql, values);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot " + sql + ": " + e.getMessage(), e);
        }
    }

    /** Executes several statements that end in semicolons. */
    void script(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot " + sql + ": " + e.getMessage(), e);
        }
    }

    String text(String query) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            if (!rows.next()) {
                throw new IllegalStateException("no row from " + query);
            }
            return String.valueOf(rows.getString(1));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot " + query + ": " + e.getMessage(), e);
        }
    }

    long number(String query) {
        return Long.parseLong(text(query));
    }

    @Override
    public void close() {
        pool.close();
    }
}
