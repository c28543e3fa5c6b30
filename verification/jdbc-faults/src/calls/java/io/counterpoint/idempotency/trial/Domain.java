package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** What the work does in the database, through what it is given. */
interface Domain {

    String INSERT = "INSERT INTO call_effect (id, result) VALUES (?, ?)";
    String FIND = "SELECT result FROM call_effect WHERE id = ?";

    void write(String id, String result) throws SQLException;

    Optional<String> find(String id) throws SQLException;

    /** Registers what Jdbi is to do after the end of the transaction, whatever that is. */
    void atTheEnd(Runnable callback);

    /** Through Jdbi. */
    record OfHandle(Handle handle) implements Domain {
        @Override
        public void write(String id, String result) {
            handle.execute(INSERT, id, result);
        }

        @Override
        public Optional<String> find(String id) {
            return handle.createQuery(FIND).bind(0, id).mapTo(String.class).findFirst();
        }

        @Override
        public void atTheEnd(Runnable callback) {
            handle.afterCommit(callback);
            handle.afterRollback(callback);
        }
    }

    /** In plain JDBC. */
    record OfConnection(Connection connection) implements Domain {
        @Override
        public void write(String id, String result) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                statement.setString(1, id);
                statement.setString(2, result);
                statement.executeUpdate();
            }
        }

        @Override
        public Optional<String> find(String id) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(FIND)) {
                statement.setString(1, id);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
                }
            }
        }

        @Override
        public void atTheEnd(Runnable callback) {
            throw new UnsupportedOperationException("Plain JDBC has no callbacks.");
        }
    }
}
