package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.admin.Statistics.Group;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** The statements that read records. */
record Records(AdministeredDatabase database) {

    private static final int FETCHED_AT_ONCE = 1000;
    private static final int WHOLE_HASH = 64;

    private String select(String columns) {
        return "SELECT " + columns + " FROM " + database.table();
    }

    private String wholeRecord() {
        return select("scope, operation, key_value, protocol, state, payload, failure_code, failure_message,"
                + " created_at, updated_at, expires_at, " + database.product().now() + " AS read_at");
    }

    private String reading() {
        return "Reading table " + database.table();
    }

    Optional<StoredRecord> find(IdempotencyKey key) {
        return database.ask(reading(), connection -> find(connection, key));
    }

    private Optional<StoredRecord> find(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = wholeRecord() + " WHERE scope = ? AND operation = ? AND key_value = ?";
        return AdministeredDatabase.rows(connection, sql, 1, this::record, key.scope(), key.operation(), key.value())
                .stream()
                .findFirst();
    }

    /** Reads the keys of all records. A row with an invalid key has no hash. */
    Optional<StoredRecord> find(String hash) {
        return database.ask(reading(), connection -> {
            Optional<IdempotencyKey> found = Optional.empty();
            try (PreparedStatement statement = connection.prepareStatement(select("scope, operation, key_value"))) {
                statement.setFetchSize(fetchSize(connection));
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next() && (found.isEmpty() || hash.length() < WHOLE_HASH)) {
                        Optional<IdempotencyKey> key =
                                key(row).filter(it -> it.hash().startsWith(hash));
                        if (key.isPresent() && found.isPresent()) {
                            throw new RefusedException(
                                    "Several keys have a hash that begins with these digits. Pass all 64.");
                        }
                        found = found.or(() -> key);
                    }
                }
            }
            return found.isEmpty() ? Optional.empty() : find(connection, found.get());
        });
    }

    /** MySQL's own driver loads all rows into memory unless the fetch size has this special value. */
    private static int fetchSize(Connection connection) throws SQLException {
        return connection.getMetaData().getDriverName().startsWith("MySQL") ? Integer.MIN_VALUE : FETCHED_AT_ONCE;
    }

    List<StoredRecord> pending(Duration unchangedFor, int limit) {
        String sql = wholeRecord() + " WHERE state = 'P' AND updated_at <= ? ORDER BY updated_at";
        return database.ask(reading(), connection -> {
            Instant before = now(connection).minus(unchangedFor);
            return AdministeredDatabase.rows(
                    connection, sql, limit, this::record, database.product().bound(before));
        });
    }

    Statistics statistics() {
        String now = database.product().now();
        String sql = select("operation, protocol, state, count(*) AS records, sum(CASE WHEN expires_at < " + now
                        + " AND (state = 'P' OR " + database.product().keptUntil() + " < " + now
                        + ") THEN 1 ELSE 0 END) AS expired, coalesce(sum(octet_length(payload)), 0) AS payload_bytes,"
                        + " min(updated_at) AS oldest, " + now + " AS read_at")
                + " GROUP BY operation, protocol, state ORDER BY operation, protocol, state";
        return database.ask(
                reading(),
                connection -> new Statistics(AdministeredDatabase.rows(
                        connection,
                        sql,
                        0,
                        row -> new Group(
                                row.getString("operation"),
                                StoredRecord.Protocol.of(row.getString("protocol")),
                                StoredRecord.State.of(row.getString("state")),
                                row.getLong("records"),
                                row.getLong("expired"),
                                row.getLong("payload_bytes"),
                                Duration.between(instant(row, "oldest"), instant(row, "read_at"))))));
    }

    Duration clockSkew(Clock clock) {
        return database.ask("Reading the database's clock", connection -> {
            Instant asked = clock.instant();
            Instant there = now(connection);
            Instant middle = asked.plus(Duration.between(asked, clock.instant()).dividedBy(2));
            return Duration.between(middle, there);
        });
    }

    Instant now(Connection connection) throws SQLException {
        return AdministeredDatabase.rows(
                        connection,
                        "SELECT " + database.product().now() + " AS read_at",
                        1,
                        row -> instant(row, "read_at"))
                .get(0);
    }

    private Instant instant(ResultSet row, String column) throws SQLException {
        return database.product().instant(row, column);
    }

    private static Optional<IdempotencyKey> key(ResultSet row) throws SQLException {
        try {
            return Optional.of(IdempotencyKey.inScope(row.getString("scope"))
                    .operation(row.getString("operation"))
                    .value(row.getString("key_value")));
        } catch (InvalidKeyException notOfThisLibrary) {
            return Optional.empty();
        }
    }

    private StoredRecord record(ResultSet row) throws SQLException {
        IdempotencyKey key = key(row).orElseThrow(() -> new RefusedException("Table " + database.table() + " has a"
                + " row with a key that this library cannot have written. Correct the row."));
        String code = row.getString("failure_code");
        String message = Objects.requireNonNullElse(row.getString("failure_message"), "");
        Instant updatedAt = instant(row, "updated_at");
        return new StoredRecord(
                key,
                StoredRecord.Protocol.of(row.getString("protocol")),
                StoredRecord.State.of(row.getString("state")),
                RecordRow.payload(row.getBytes("payload")),
                Optional.ofNullable(code).map(it -> new Failure(it, message)),
                instant(row, "created_at"),
                updatedAt,
                instant(row, "expires_at"),
                Duration.between(updatedAt, instant(row, "read_at")));
    }
}
