package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What operators may see of the records: all but scopes, keys and payloads.
 *
 * @param dataSource the database
 * @param table its table, checked by the store
 */
record KeyRecords(DataSource dataSource, String table) {

    private static final int FETCHED_AT_ONCE = 1000;

    /**
     * A record.
     *
     * @param operation the operation's name
     * @param hash {@link IdempotencyKey#hash()}
     * @param protocol C: claim first, S: single transaction, E: external
     * @param state P: pending, S: succeeded, F: failed
     * @param createdAt when the key was claimed
     * @param updatedAt when the record last changed
     * @param expiresAt when the purge may take it
     * @param failureCode why the attempt failed, if it did
     */
    record View(
            String operation,
            String hash,
            String protocol,
            String state,
            Instant createdAt,
            Instant updatedAt,
            Instant expiresAt,
            @Nullable String failureCode) {}

    /** A record with its key, which stays inside. */
    record Found(IdempotencyKey key, View view) {}

    /** The pending records that have not changed for so long, the oldest first. */
    List<View> pending(Duration unchangedFor, int limit) {
        String sql = "SELECT * FROM " + table + " WHERE state = 'P' AND updated_at <= ? ORDER BY updated_at";
        return inConnection(connection -> {
            OffsetDateTime before = now(connection).minus(unchangedFor);
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setObject(1, before);
                statement.setMaxRows(limit);
                List<View> views = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        views.add(found(row).view());
                    }
                }
                return views;
            }
        });
    }

    /** The record whose key has this hash, or a hash that begins so. Reads the keys of all records until it is found. */
    Optional<Found> find(String hash) {
        return inConnection(connection -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT * FROM " + table)) {
                statement.setFetchSize(FETCHED_AT_ONCE);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        if (key(row).hash().startsWith(hash)) {
                            return Optional.of(found(row));
                        }
                    }
                }
                return Optional.empty();
            }
        });
    }

    /** How far the database's clock is ahead of this machine's. The answer is from the middle of the question. */
    Duration clockSkew() {
        return inConnection(connection -> {
            Instant asked = Instant.now();
            Instant there = now(connection).toInstant();
            Instant middle = asked.plus(Duration.between(asked, Instant.now()).dividedBy(2));
            return Duration.between(middle, there);
        });
    }

    /** Fails if the table cannot be read. */
    void requireReadable() {
        String sql = "SELECT count(*) FROM " + table + " WHERE scope = ' ' AND operation = ' ' AND key_value = ' '";
        Integer unused = inConnection(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        });
    }

    private static OffsetDateTime now(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT CURRENT_TIMESTAMP");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getObject(1, OffsetDateTime.class);
        }
    }

    private static IdempotencyKey key(ResultSet row) throws SQLException {
        return new IdempotencyKey(row.getString("scope"), row.getString("operation"), row.getString("key_value"));
    }

    private static Found found(ResultSet row) throws SQLException {
        IdempotencyKey key = key(row);
        return new Found(
                key,
                new View(
                        key.operation(),
                        key.hash(),
                        row.getString("protocol"),
                        row.getString("state"),
                        instant(row, "created_at"),
                        instant(row, "updated_at"),
                        instant(row, "expires_at"),
                        row.getString("failure_code")));
    }

    private static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** In a transaction that changes nothing, so that PostgreSQL sends rows in portions. */
    private <T> T inConnection(Query<T> query) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                return query.in(connection);
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException thrown) {
            throw new IllegalStateException(
                    "Table " + table + " could not be read (SQLSTATE " + thrown.getSQLState() + ").", thrown);
        }
    }

    private interface Query<T> {
        T in(Connection connection) throws SQLException;
    }
}
