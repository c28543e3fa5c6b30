package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.spi.Characters;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * The keys of a client's calls in its database, so that a call outlives the process that began it.
 *
 * <p>A call has an identifier that the caller gives it. Its key is committed before the first try. The same identifier
 * gets the same key, in every process: of two that begin at once, the unique insert of one decides. Another request under the
 * identifier is refused.
 *
 * <p>The table is that of {@code client-keys.sql} beside this class, for PostgreSQL and H2. Each method takes a connection and
 * gives it back before it returns. The connection has to commit each statement by itself: within a transaction of the
 * caller, a rollback would take the key away after the request was sent. So connections without auto-commit are refused.
 *
 * <p>A row shows the key to everybody who may read the table. For any number of threads.
 */
public final class ClientKeys {

    private static final int MAX_ID = 255;
    private static final int RACES = 10;
    private static final String INTEGRITY_VIOLATION = "23";

    private final DataSource dataSource;

    private ClientKeys(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * The keys in a database. Nothing is read or written yet.
     *
     * @param dataSource of connections that commit by themselves
     * @return the keys
     */
    public static ClientKeys in(DataSource dataSource) {
        return new ClientKeys(dataSource);
    }

    /**
     * A call without a definite result.
     *
     * @param callId the identifier that the caller gave it
     * @param key the key that its tries send
     * @param since when it was begun
     */
    public record Unfinished(String callId, CallKey key, Instant since) {}

    /**
     * A call whose key is stored.
     *
     * @param before whether it was stored already, so that there may have been tries
     */
    record Begun(CallKey key, Instant since, boolean before) {}

    /** Stores a new key for a call, or finds the one that is stored. */
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
                    "The call \"" + callId + "\" was stored and removed by others " + RACES
                            + " times in a row. Remove calls only when they are done.",
                    null);
        });
    }

    private static Optional<Begun> find(Connection connection, String callId, String fingerprint) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT call_key, fingerprint, begun_at FROM idempotency_client_key WHERE call_id = ?")) {
            select.setString(1, callId);
            try (ResultSet rows = select.executeQuery()) {
                if (!rows.next()) {
                    return Optional.empty();
                }
                if (!rows.getString(2).equals(fingerprint)) {
                    throw new CallMismatchException(callId);
                }
                return Optional.of(new Begun(new CallKey(rows.getString(1)), time(rows, 3), true));
            }
        }
    }

    private static boolean insert(Connection connection, String callId, CallKey key, String fingerprint, Instant now)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO idempotency_client_key"
                + " (call_id, call_key, fingerprint, begun_at, state) VALUES (?, ?, ?, ?, 'UNFINISHED')")) {
            insert.setString(1, callId);
            insert.setString(2, key.value());
            insert.setString(3, fingerprint);
            insert.setObject(4, now.atOffset(ZoneOffset.UTC));
            return insert.executeUpdate() == 1;
        } catch (SQLException thrown) {
            if (thrown.getSQLState() != null && thrown.getSQLState().startsWith(INTEGRITY_VIOLATION)) {
                return false;
            }
            throw thrown;
        }
    }

    /**
     * The calls without a definite result, oldest first: those to go on with after a restart, with the same identifiers and
     * the same requests. Calls that are at work now are among them.
     *
     * @param most how many at most
     * @return the calls
     * @throws ClientKeysException if the table could not be read
     */
    public List<Unfinished> unfinished(int most) {
        return use(connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT call_id, call_key, begun_at FROM idempotency_client_key"
                            + " WHERE state = 'UNFINISHED' ORDER BY begun_at, call_id FETCH FIRST ? ROWS ONLY")) {
                select.setInt(1, most);
                List<Unfinished> calls = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        calls.add(new Unfinished(rows.getString(1), new CallKey(rows.getString(2)), time(rows, 3)));
                    }
                }
                return List.copyOf(calls);
            }
        });
    }

    /**
     * Marks a call as done, as a definite result does: for calls of which something else has shown what became of them. The
     * same identifier still gets the same key.
     *
     * @param callId the call
     * @param key its key
     * @param now the time of the mark
     * @return whether there was such a call that was not done
     * @throws ClientKeysException if the table could not be written
     */
    public boolean markDone(String callId, CallKey key, Instant now) {
        return update(
                        "UPDATE idempotency_client_key SET state = 'DONE', done_at = ?"
                                + " WHERE call_id = ? AND call_key = ? AND state = 'UNFINISHED'",
                        now.atOffset(ZoneOffset.UTC),
                        callId,
                        key.value())
                == 1;
    }

    /**
     * Removes a call, so that its identifier gets a new key. Only where it is known that the call had no effect, as after
     * {@link CallResult.Failed}: the new key can have a second effect.
     *
     * @param callId the call
     * @param key its key: a call with another one stays
     * @return whether there was such a call
     * @throws ClientKeysException if the table could not be written
     */
    public boolean remove(String callId, CallKey key) {
        return update("DELETE FROM idempotency_client_key WHERE call_id = ? AND call_key = ?", callId, key.value())
                == 1;
    }

    /**
     * Removes calls that were done before a time. After that, their identifiers get new keys.
     *
     * @param time so long ago that no caller begins one of these calls again
     * @return how many there were
     * @throws ClientKeysException if the table could not be written
     */
    public int removeDoneBefore(Instant time) {
        return update(
                "DELETE FROM idempotency_client_key WHERE state = 'DONE' AND done_at < ?",
                time.atOffset(ZoneOffset.UTC));
    }

    private int update(String sql, Object... values) {
        return use(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < values.length; i++) {
                    statement.setObject(i + 1, values[i]);
                }
                return statement.executeUpdate();
            }
        });
    }

    private static Instant time(ResultSet rows, int column) throws SQLException {
        return rows.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static void requireValid(String callId) {
        boolean printable = callId.chars().noneMatch(Characters::isControl)
                && StandardCharsets.UTF_8.newEncoder().canEncode(callId);
        if (callId.trim().isEmpty() || callId.length() > MAX_ID || !printable) {
            throw new IllegalArgumentException("A call's identifier has 1 to " + MAX_ID
                    + " characters, not all blank, without control characters and halves of surrogate pairs; found "
                    + callId.length() + " characters" + (printable ? "." : ", some of these among them."));
        }
    }

    private <T> T use(Use<T> action) {
        try (Connection connection = dataSource.getConnection()) {
            if (!connection.getAutoCommit()) {
                throw new ClientKeysException(
                        "A connection with auto-commit is needed, found one without: a rollback could take a key away"
                                + " whose request was sent. Give a data source that takes part in no transaction.",
                        null);
            }
            return action.on(connection);
        } catch (SQLException thrown) {
            throw new ClientKeysException(
                    "The table idempotency_client_key could not be used. See that the database answers, and that the table"
                            + " is there as client-keys.sql makes it.",
                    thrown);
        }
    }

    /** What is done with a connection. */
    @FunctionalInterface
    private interface Use<T> {
        T on(Connection connection) throws SQLException;
    }
}
