package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.Characters;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * The keys of a client's calls, stored in its database so that a call survives the process that started it.
 *
 * <p>A call has an identifier chosen by the caller. Its key is committed before the first try. The same identifier gets
 * the same key in every process: if two begin at once, the unique insert of one decides. A different request under the
 * same identifier is rejected.
 *
 * <p>The table is defined in a file next to this class: {@code client-keys.sql} for PostgreSQL and H2, {@code
 * client-keys-mariadb.sql}, or {@code client-keys-mysql.sql}. Each method borrows a connection and returns it before it
 * ends. The connection has to commit each statement by itself: within a transaction of the caller, a rollback would
 * remove the key after the request was sent. Connections without auto-commit are therefore rejected.
 *
 * <p>Everyone who may read the table can see the keys. Thread-safe.
 */
public final class ClientKeys {

    private static final int MAX_ID = 255;
    private static final int RACES = 10;

    /** PostgreSQL and H2 have a specific SQLSTATE for it; MariaDB and MySQL share one for all constraints. */
    private static final String DUPLICATE_KEY = "23505";

    private static final int DUPLICATE_OF_MYSQL = 1062;

    /** Databases without a type for zoned times. Their times are stored in UTC. */
    private static final Set<String> WITHOUT_ZONES = Set.of("MariaDB", "MySQL");

    private final DataSource dataSource;

    private ClientKeys(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * Returns the keys in a database. Nothing is read or written yet.
     *
     * @param dataSource a data source of connections with auto-commit
     * @return the keys
     */
    public static ClientKeys in(DataSource dataSource) {
        return new ClientKeys(dataSource);
    }

    /**
     * A call without a definite result.
     *
     * @param callId the identifier chosen by the caller
     * @param key the key that its tries send
     * @param since when it began
     */
    public record Unfinished(String callId, CallKey key, Instant since) {}

    /**
     * A call whose key is stored.
     *
     * @param before whether it was already stored, so that there may have been tries
     */
    record Begun(CallKey key, Instant since, boolean before) {}

    /** Stores a new key for a call, or finds the stored one. */
    Begun begin(String callId, Fingerprint request, Supplier<CallKey> keys, Instant now) {
        requireValid(callId);
        String fingerprint = HexFormat.of().formatHex(request.toBytes());
        return use(connection -> {
            for (int races = 0; races < RACES; races++) {
                Optional<Begun> there = find(connection, callId, fingerprint);
                if (there.isPresent()) {
                    return there.get();
                }
                CallKey key = keys.get();
                if (insert(connection, callId, key, fingerprint, now)) {
                    return new Begun(key, now, false);
                }
            }
            throw new ClientKeysException(
                    "The call \"" + callId + "\" was stored and removed by others " + RACES + " times in a row."
                            + " Remove a call only when it is done.",
                    null);
        });
    }

    private static Optional<Begun> find(Connection connection, String callId, String fingerprint) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT call_key, fingerprint, begun_at, call_id FROM idempotency_client_key WHERE call_id = ?")) {
            select.setString(1, callId);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                requireSame(callId, rows.getString(4));
                if (!rows.getString(2).equals(fingerprint)) {
                    throw new CallMismatchException(callId);
                }
                return Optional.of(new Begun(new CallKey(rows.getString(1)), time(connection, rows, 3), true));
            }
        }
    }

    /** Two calls that share a key would have only one effect. */
    private static void requireSame(String callId, String stored) {
        if (!stored.equals(callId)) {
            throw new ClientKeysException(
                    "The database returned the call \"" + stored + "\" for the call \"" + callId + "\". Give the"
                            + " table the collation defined in its file, and the connection an encoding that covers"
                            + " all characters.",
                    null);
        }
    }

    private static boolean insert(Connection connection, String callId, CallKey key, String fingerprint, Instant now)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO idempotency_client_key"
                + " (call_id, call_key, fingerprint, begun_at, state) VALUES (?, ?, ?, ?, 'UNFINISHED')")) {
            insert.setString(1, callId);
            insert.setString(2, key.value());
            insert.setString(3, fingerprint);
            insert.setObject(4, bound(connection, now));
            return insert.executeUpdate() == 1;
        } catch (SQLException thrown) {
            if (isDuplicate(thrown)) {
                return false;
            }
            throw thrown;
        }
    }

    /** Whether another caller's row exists. Violations of other constraints are not lost races. */
    private static boolean isDuplicate(SQLException thrown) {
        return DUPLICATE_KEY.equals(thrown.getSQLState())
                || ("23000".equals(thrown.getSQLState()) && thrown.getErrorCode() == DUPLICATE_OF_MYSQL);
    }

    /**
     * Returns the calls without a definite result, oldest first. Continue them after a restart with the same
     * identifiers and the same requests. Calls that are currently running are included.
     *
     * @param most the maximum number of calls
     * @return the calls
     * @throws ClientKeysException if the table could not be read
     */
    public List<Unfinished> unfinished(int most) {
        return use(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT call_id, call_key, begun_at FROM idempotency_client_key"
                            + " WHERE state = 'UNFINISHED' ORDER BY begun_at, call_id LIMIT ?")) {
                select.setInt(1, most);
                List<Unfinished> calls = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        calls.add(new Unfinished(
                                rows.getString(1), new CallKey(rows.getString(2)), time(connection, rows, 3)));
                    }
                }
                return List.copyOf(calls);
            }
        });
    }

    /**
     * Marks a call as done, like a definite result does. Use it for calls whose outcome was determined in another way.
     * The same identifier still gets the same key.
     *
     * @param callId the call
     * @param key its key
     * @param now the time of the mark
     * @return whether there was such a call that was not done yet
     * @throws ClientKeysException if the table could not be written
     */
    public boolean markDone(String callId, CallKey key, Instant now) {
        return update(
                        "UPDATE idempotency_client_key SET state = 'DONE', done_at = ?"
                                + " WHERE call_id = ? AND call_key = ? AND state = 'UNFINISHED'",
                        now,
                        callId,
                        key.value())
                == 1;
    }

    /**
     * Removes a call, so that its identifier gets a new key next time. Use it only if the call is known to have had no
     * effect, as after {@link CallResult.Failed}, because the new key can have a second effect.
     *
     * @param callId the call
     * @param key its key; a call with a different key stays
     * @return whether there was such a call
     * @throws ClientKeysException if the table could not be written
     */
    public boolean remove(String callId, CallKey key) {
        return update("DELETE FROM idempotency_client_key WHERE call_id = ? AND call_key = ?", callId, key.value())
                == 1;
    }

    /**
     * Removes calls that were marked as done before a point in time. After that, their identifiers get new keys.
     *
     * @param time a time long enough ago that no caller will begin one of these calls again
     * @return the number of removed calls
     * @throws ClientKeysException if the table could not be written
     */
    public int removeDoneBefore(Instant time) {
        return update("DELETE FROM idempotency_client_key WHERE state = 'DONE' AND done_at < ?", time);
    }

    private int update(String sql, Object... values) {
        return use(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i] instanceof Instant time ? bound(connection, time) : values[i]);
                }
                return statement.executeUpdate();
            }
        });
    }

    private static Object bound(Connection connection, Instant time) throws SQLException {
        OffsetDateTime utc = time.atOffset(ZoneOffset.UTC);
        return hasZones(connection) ? utc : utc.toLocalDateTime();
    }

    private static Instant time(Connection connection, ResultSet rows, int column) throws SQLException {
        return hasZones(connection)
                ? rows.getObject(column, OffsetDateTime.class).toInstant()
                : rows.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    private static boolean hasZones(Connection connection) throws SQLException {
        return !WITHOUT_ZONES.contains(connection.getMetaData().getDatabaseProductName());
    }

    private static void requireValid(String callId) {
        boolean printable = callId.chars().noneMatch(Characters::isControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(callId);
        if (callId.trim().isEmpty() || callId.length() > MAX_ID || !printable) {
            throw new IllegalArgumentException("The identifier of a call must be 1 to " + MAX_ID + " characters, not"
                    + " all blank, without control characters or unpaired surrogates; found " + callId.length() + ""
                    + " characters" + (printable ? "." : ", including some of these."));
        }
    }

    private <T> T use(Use<T> action) {
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.getAutoCommit()) {
                throw new ClientKeysException(
                        "The connection has auto-commit off, so a rollback could remove the key of a request that was"
                                + " already sent. Use a data source that takes part in no transaction.",
                        null);
            }
            return action.on(connection);
        } catch (SQLException thrown) {
            throw new ClientKeysException(
                    "The table idempotency_client_key could not be accessed. Check that the database is reachable and"
                            + " that the table was created with the file for your database, such as client-keys.sql.",
                    thrown);
        }
    }

    /** Uses a connection. */
    @FunctionalInterface
    private interface Use<T> {
        T on(Connection connection) throws SQLException;
    }
}
