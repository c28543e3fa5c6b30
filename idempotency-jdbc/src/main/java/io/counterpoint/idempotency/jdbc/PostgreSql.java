package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * PostgreSQL. Every step is one statement, so one round trip: its time-out for locks and its durability are set inside
 * it, for the transaction only. {@code MATERIALIZED} keeps the order: what sets a bound is a table that the rest reads.
 */
final class PostgreSql extends Dialect {

    /** Raises a server's or user's weaker setting: a told answer must survive a crash. */
    private static final String DURABLE = "CASE WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply')"
            + " THEN NULL ELSE set_config('synchronous_commit', 'on', true) END";

    private static final String AGE = "(extract(epoch FROM clock_timestamp() - updated_at) * 1000000)::bigint AS age";
    private static final String THIS_KEY = "scope = ? AND operation = ? AND key_value = ?";

    private final String claim;
    private final String read;
    private final String lock;
    private final String lockAtOnce;
    private final Map<Change, String> changes;
    private final String purge;

    PostgreSql(Table table) {
        super(table);
        // A record that is there is answered by its read alone. Else the outer query needs the rows of the insert, so
        // the
        // time-out is put back after the insert has waited, and the domain's statements run under the user's own. A row
        // that is newer than the snapshot is neither inserted nor read.
        claim = """
                WITH present AS MATERIALIZED (
                    SELECT %2$s, %5$s FROM %1$s WHERE %4$s
                ), before AS MATERIALIZED (
                    SELECT current_setting('lock_timeout') AS lock_timeout WHERE NOT EXISTS (SELECT 1 FROM present)
                ), bounds AS MATERIALIZED (
                    SELECT set_config('lock_timeout', ?, true), CASE WHEN ?
                        THEN set_config('synchronous_commit', 'off', true) ELSE %3$s END
                    FROM before
                ), claimed AS (
                    INSERT INTO %1$s (scope, operation, key_value, %2$s, created_at, updated_at, expires_at)
                    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                        clock_timestamp(), clock_timestamp(), clock_timestamp() + ? * interval '1 microsecond'
                    FROM bounds
                    ON CONFLICT DO NOTHING
                    RETURNING pg_current_xact_id()::text AS transaction_id
                )
                SELECT claimed.transaction_id, CASE WHEN before.lock_timeout IS NOT NULL
                    THEN set_config('lock_timeout', before.lock_timeout, true) END, present.*
                FROM (SELECT 1) AS one LEFT JOIN before ON true LEFT JOIN claimed ON true LEFT JOIN present ON true
                """.formatted(table, COLUMNS, DURABLE, THIS_KEY, AGE);
        read = "SELECT %s, %s FROM %s WHERE %s".formatted(COLUMNS, AGE, table, THIS_KEY);
        lock = """
                WITH before AS MATERIALIZED (
                    SELECT current_setting('lock_timeout') AS lock_timeout
                ), bounds AS MATERIALIZED (
                    SELECT set_config('lock_timeout', ?, true) FROM before
                ), locked AS MATERIALIZED (
                    SELECT %2$s, %4$s FROM %1$s AS record CROSS JOIN bounds WHERE %3$s FOR UPDATE OF record
                )
                SELECT pg_current_xact_id()::text, set_config('lock_timeout', before.lock_timeout, true), locked.*
                FROM before LEFT JOIN locked ON true
                """.formatted(table, COLUMNS, THIS_KEY, AGE);
        lockAtOnce = "SELECT pg_current_xact_id()::text, NULL, %s, %s FROM %s WHERE %s FOR UPDATE NOWAIT"
                .formatted(COLUMNS, AGE, table, THIS_KEY);
        String bounds = "WITH bounds AS MATERIALIZED (SELECT set_config('lock_timeout',"
                + " coalesce(?, current_setting('lock_timeout')), true), " + DURABLE + ") ";
        String pending = " FROM bounds WHERE " + THIS_KEY + " AND state = 'P' AND token = ?";
        String update = bounds + "UPDATE " + table + " SET updated_at = clock_timestamp(), ";
        changes = Map.of(
                Change.SUCCEED,
                update + "state = 'S', payload = coalesce(?, payload)" + pending
                        + " AND coalesce(pg_current_xact_id()::text = ?, true)",
                Change.FAIL,
                update + "state = 'F', payload = NULL, failure_code = ?, failure_message = ?" + pending,
                Change.RELEASE,
                bounds + "DELETE FROM " + table + pending.replace("FROM", "USING"),
                Change.REPLACE_TOKEN,
                update + "token = ?" + pending);
        purge = """
                DELETE FROM %1$s WHERE (scope, operation, key_value) IN (
                    SELECT scope, operation, key_value FROM %1$s
                    WHERE expires_at < statement_timestamp() AND state <> 'P'
                        AND updated_at + (expires_at - created_at) < statement_timestamp()
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
                """.formatted(table);
    }

    @Override
    Dialect withTable(Table other) {
        return new PostgreSql(other);
    }

    @Override
    String schemaFile() {
        return "postgresql.sql";
    }

    @Override
    boolean indexesAreQualified() {
        return false;
    }

    @Override
    Optional<Found> claim(Connection connection, IdempotencyRecord record, ClaimTerms terms) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(claim)) {
            int at = bindKey(statement, 1, record.key());
            statement.setString(at, Long.toString(millis(terms.lockWait())));
            statement.setBoolean(at + 1, terms.alone() && terms.mayBeLost());
            at = bindRecord(statement, bindKey(statement, at + 2, record.key()), record);
            statement.setLong(at, micros(terms.retention()));
            Found found = first(statement, record.key());
            if (found.transaction().isPresent()) {
                return Optional.of(new Found(true, Optional.empty(), found.transaction()));
            }
            return found.record().isPresent() ? Optional.of(found) : Optional.empty();
        }
    }

    @Override
    Found read(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            bindKey(statement, 1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return new Found(false, rows.next() ? recordIn(rows, 1, key) : Optional.empty(), Optional.empty());
            }
        }
    }

    @Override
    Found lock(Connection connection, IdempotencyKey key, Duration wait) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(wait.isZero() ? lockAtOnce : lock)) {
            if (wait.isZero()) {
                bindKey(statement, 1, key);
            } else {
                statement.setString(1, Long.toString(millis(wait)));
                bindKey(statement, 2, key);
            }
            return first(statement, key);
        }
    }

    /** The first row of (transaction, -, record). */
    private static Found first(PreparedStatement statement, IdempotencyKey key) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next()
                    ? new Found(false, recordIn(rows, 3, key), Optional.ofNullable(rows.getString(1)))
                    : new Found(false, Optional.empty(), Optional.empty());
        }
    }

    @Override
    boolean change(
            Connection connection,
            Change change,
            IdempotencyKey key,
            UUID token,
            boolean alone,
            @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(changes.get(change))) {
            // In the domain's transaction the record is locked already, and the user's own time-out stays.
            statement.setString(1, alone ? Long.toString(millis(LOCK_WAIT)) : null);
            return changes(statement, 2, change, key, token, values);
        }
    }

    @Override
    int purge(Connection connection, int batch) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(purge)) {
            statement.setInt(1, batch);
            return statement.executeUpdate();
        }
    }

    @Override
    void isolate(Connection connection, TransactionIsolationLevel level) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + level.name().replace('_', ' '));
        }
    }

    @Override
    void requireCommittable(Connection connection) throws SQLException {
        if (!DriverState.isKnown(connection)) {
            // Fails with 25P02 if the transaction is aborted; the driver's commit would not.
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        } else if (DriverState.isFailed(connection)) {
            throw new StoreException(
                    "The database has aborted this transaction because of an SQL error that the work swallowed; its"
                            + " commit would be a silent roll-back. Let the error out, or set a savepoint before a"
                            + " statement that may fail",
                    Fault.REFUSED,
                    null);
        }
    }

    /** What pgjdbc knows of the transaction without a round trip. Loaded only where that driver is present. */
    private static final class DriverState {
        private static final boolean DRIVER_PRESENT = isDriverPresent();

        private static boolean isDriverPresent() {
            try {
                return BaseConnection.class.isInterface();
            } catch (NoClassDefFoundError absent) {
                return false;
            }
        }

        static boolean isKnown(Connection connection) throws SQLException {
            return DRIVER_PRESENT && connection.isWrapperFor(BaseConnection.class);
        }

        static boolean isFailed(Connection connection) throws SQLException {
            return switch (connection.unwrap(BaseConnection.class).getTransactionState()) {
                case FAILED -> true;
                case IDLE, OPEN -> false;
            };
        }
    }
}
