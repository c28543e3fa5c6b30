package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table and how to access it. Each query and each change runs in its own transaction. The database is not contacted
 * before the first of them.
 */
final class AdministeredDatabase {

    private final DataSource dataSource;
    private final RecordTable table;
    private volatile @Nullable Product product;

    AdministeredDatabase(DataSource dataSource, RecordTable table) {
        this.dataSource = dataSource;
        this.table = table;
    }

    interface Query<T> {
        T in(Connection connection) throws SQLException;
    }

    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    DataSource dataSource() {
        return dataSource;
    }

    RecordTable table() {
        return table;
    }

    Product product() {
        Product known = product;
        if (known == null) {
            try (Connection connection = dataSource.getConnection()) {
                known = Product.of(connection.getMetaData().getDatabaseProductName());
            } catch (SQLException thrown) {
                throw new DatabaseException("Connecting to the database", thrown);
            }
            product = known;
        }
        return known;
    }

    /** Runs a query and rolls back at the end, so that it changes nothing. */
    <T> T ask(String doing, Query<T> query) {
        return inTransaction(doing, query, false);
    }

    <T> T change(String doing, Query<T> query) {
        return inTransaction(doing, query, true);
    }

    /** The product is determined first, so that no second connection is needed. */
    private <T> T inTransaction(String doing, Query<T> query, boolean commits) {
        Product unused = product();
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                T answer = query.in(connection);
                if (commits) {
                    connection.commit();
                }
                done = true;
                return answer;
            } finally {
                if (!commits || !done) {
                    connection.rollback();
                }
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException thrown) {
            throw new DatabaseException(doing, thrown);
        }
    }

    /** Returns the rows of a query, up to the limit; zero means all of them. */
    static <T> List<T> rows(Connection connection, String sql, int limit, Row<T> reader, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.setMaxRows(limit);
            List<T> read = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    read.add(reader.read(rows));
                }
            }
            return read;
        }
    }
}
