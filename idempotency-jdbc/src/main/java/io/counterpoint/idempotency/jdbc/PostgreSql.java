package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL. Every step is one statement, so one round trip: its bound for locks and its durability are set inside it,
 * for the transaction only. They are conditions that are always true, met before a row is inserted, locked or changed;
 * subqueries and common tables around them cost the server more than the step itself.
 */
final class PostgreSql extends Dialect {

    private static final String NOW = "clock_timestamp()";

    /** Now, for a statement that is alone: to ask the clock costs a replay several percent of what it takes. */
    private static final String BEGIN_OF_TRANSACTION = "CURRENT_TIMESTAMP";

    private static final String MICROSECOND = "interval '1 microsecond'";
    private static final String THIS_KEY = "scope = ? AND operation = ? AND key_value = ?";

    /** Bounds the waits of a statement that is a transaction of its own. */
    private static final String BOUNDED = "set_config('lock_timeout', ?, true) IS NOT NULL";

    /**
     * The same in a transaction with the domain, whose statements then get the user's own bound back: it is put aside. A
     * condition is met again where a rival has changed the row, so what is put aside already stays.
     */
    private static final String BOUNDED_FOR_NOW = """
            set_config('lock_timeout',
                CASE WHEN set_config('idempotency.lock_timeout',
                    coalesce(nullif(current_setting('idempotency.lock_timeout', true), ''),
                        current_setting('lock_timeout')), true) IS NOT NULL
                THEN ? END, true) IS NOT NULL""";

    private static final String UNBOUNDED =
            "set_config('lock_timeout', current_setting('idempotency.lock_timeout'), true)";

    /** The name of a transaction in which a claim has put the user's bound aside: its end takes that setting along. */
    private static final String CLAIMED_IN = "claimed in";

    private static final InsertResult CLAIMED = InsertResult.in(CLAIMED_IN);

    /** Whether this is the transaction of the claim or the lock, by its name; true if none is given. */
    private static final String IN_ITS_TRANSACTION = """
            coalesce(? IN (pg_current_xact_id()::text,
                CASE WHEN current_setting('idempotency.lock_timeout', true) <> '' THEN '%s' ELSE '' END), true)""".formatted(CLAIMED_IN);

    /** Raises a server's or user's weaker setting: a told answer must survive a crash. */
    private static final String DURABLE = "CASE WHEN current_setting('synchronous_commit') IN ('on', 'remote_apply')"
            + " THEN true ELSE set_config('synchronous_commit', 'on', true) IS NOT NULL END";

    /** What the server says, in whatever language, of a mark that had to change a record and did not. */
    private static final String UNCHANGED = "no pending record under its token, in its transaction,";

    private static final String NOT_A_BOOLEAN = "22P02";

    /** What raises it: no boolean. */
    private static final String RAISED = "('" + UNCHANGED + " at ' || clock_timestamp())::boolean::text";

    /** Whether this still is the transaction of the claim, whose commit is then durable. */
    private static final String IS_TRANSACTION = "SELECT " + IN_ITS_TRANSACTION + " AND " + DURABLE;

    private static final String GUARD_AND_COMMIT =
            "SELECT CASE WHEN " + IN_ITS_TRANSACTION + " AND " + DURABLE + " THEN '' ELSE " + RAISED + " END; COMMIT";

    private static final String LOCK_NOT_GIVEN = "55P03";
    private static final String CANCELLED = "57014";

    /** No such table, no such schema, no right. */
    private static final Set<String> OUT_OF_REACH = Set.of("42P01", "3F000", "42501");

    private static final String ASYNCHRONOUS = "set_config('synchronous_commit', 'off', true) IS NOT NULL";

    private final String insertAlone;
    private final String insertRelaxed;
    private final String insertWithDomain;
    private final String claimAndLock;
    private final String claimRelaxedAndLock;
    private final String read;
    private final String readAlone;
    private final String readAndEnd;
    private final String readAll;
    private final String lock;
    private final String lockIfFree;
    private final String lockAtOnce;
    private final Map<Change, String> changes;
    private final Map<Change, String> changesAlone;
    private final String succeedAndCommit;
    private final String confirm;
    private final PurgeSweep sweep;

    PostgreSql(Table table) {
        super(table);
        String insert = "INSERT INTO " + table + " (scope, operation, key_value, " + COLUMNS
                + ", created_at, updated_at, expires_at)";
        insert += " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp(), clock_timestamp() + ? * "
                + MICROSECOND;
        // An insert would wait for another's uncommitted mark. A call that sees a record need not insert.
        String alone = insert + " WHERE " + BOUNDED + " AND %s AND NOT EXISTS (SELECT FROM " + table + " WHERE "
                + THIS_KEY + ") ON CONFLICT DO NOTHING";
        insertAlone = alone.formatted(DURABLE);
        insertRelaxed = alone.formatted(ASYNCHRONOUS);
        // The second row is asked for when the first is inserted, and is none. RETURNING would cost more.
        insertWithDomain = insert + " FROM (VALUES (true), (false)) AS row (inserted) WHERE CASE WHEN inserted THEN "
                + BOUNDED_FOR_NOW + " AND " + DURABLE + " ELSE " + UNBOUNDED + " IS NULL END ON CONFLICT DO NOTHING";
        read = "SELECT %s FROM %s WHERE %s".formatted(columnsAt(NOW), table, THIS_KEY);
        readAlone = "SELECT %s FROM %s WHERE %s".formatted(columnsAt(BEGIN_OF_TRANSACTION), table, THIS_KEY);
        readAndEnd = read + "; ROLLBACK";
        String thenLock = "; COMMIT; BEGIN; SELECT pg_current_xact_id()::text FROM " + table + " WHERE " + THIS_KEY
                + " AND state = 'P' AND token = ? FOR UPDATE SKIP LOCKED";
        claimAndLock = insertAlone + thenLock;
        claimRelaxedAndLock = insertRelaxed + thenLock;
        // One index scan for each key, whatever the statistics say of an array or of a table that has just grown.
        readAll = """
                SELECT found.*, at FROM unnest(?::text[], ?::text[], ?::text[])
                    WITH ORDINALITY AS wanted(scope, operation, key_value, at),
                LATERAL (SELECT %s FROM %s AS record WHERE record.scope = wanted.scope
                    AND record.operation = wanted.operation AND record.key_value = wanted.key_value OFFSET 0) AS found
                """.formatted(columnsAt(BEGIN_OF_TRANSACTION), table);
        String locking = "SELECT pg_current_xact_id()::text, %s FROM %s WHERE %s FOR UPDATE"
                .formatted(columnsAt(NOW), table, THIS_KEY);
        lockIfFree = locking + " SKIP LOCKED";
        lockAtOnce = locking + " NOWAIT";
        // The bound is set below the lock and given back above it: no part of a plain query would be after its lock.
        lock = """
                SELECT locked.*, %s FROM (%s) AS locked
                """.formatted(UNBOUNDED, locking.replace(THIS_KEY, THIS_KEY + " AND " + BOUNDED_FOR_NOW));
        String pending = " WHERE " + THIS_KEY + " AND state = 'P' AND token = ? AND " + DURABLE;
        String update = "UPDATE " + table + " SET updated_at = clock_timestamp(), ";
        changes = Map.of(
                Change.SUCCEED,
                update + "state = 'S', payload = coalesce(?, payload)" + pending + " AND " + IN_ITS_TRANSACTION,
                Change.FAIL,
                update + "state = 'F', payload = NULL, failure_code = ?, failure_message = ?" + pending,
                Change.RELEASE,
                "DELETE FROM " + table + pending,
                Change.REPLACE_TOKEN,
                update + "token = ?" + pending);
        changesAlone = changes.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, change -> change.getValue() + " AND " + BOUNDED));
        succeedAndCommit = """
                MERGE INTO %1$s USING (SELECT ?::bytea AS result) AS made ON %2$s
                WHEN MATCHED AND state = 'P' AND token = ? AND %5$s AND %3$s
                    THEN UPDATE SET updated_at = clock_timestamp(), state = 'S', payload = coalesce(result, payload)
                WHEN MATCHED THEN UPDATE SET state = %4$s
                WHEN NOT MATCHED THEN INSERT (state) VALUES (%4$s); COMMIT
                """.formatted(table, THIS_KEY, DURABLE, RAISED, IN_ITS_TRANSACTION);
        confirm = "UPDATE " + table + " SET updated_at = greatest(clock_timestamp(), updated_at + " + MICROSECOND
                + ") WHERE " + THIS_KEY + " AND token = ? AND " + DURABLE + " AND " + BOUNDED;
        sweep = new PurgeSweep("""
                WITH purged AS (DELETE FROM %1$s WHERE (scope, operation, key_value) IN (
                    SELECT scope, operation, key_value FROM %1$s
                    WHERE expires_at >= CASE WHEN ?::timestamptz > statement_timestamp() - %2$d * %3$s
                            THEN ?::timestamptz ELSE '-infinity'::timestamptz END AND expires_at < statement_timestamp() AND state <> 'P'
                        AND updated_at + (expires_at - created_at) < statement_timestamp()
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING expires_at)
                SELECT count(*), max(expires_at), statement_timestamp() FROM purged
                """.formatted(table, PurgeSweep.LONGEST.toMillis() * 1000, MICROSECOND));
    }

    @Override
    Dialect withTable(Table other) {
        return new PostgreSql(other);
    }

    @Override
    Optional<TableFacts> facts(Connection connection) throws SQLException {
        return PostgreSqlCatalogue.facts(connection, table);
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
    InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms) throws SQLException {
        return terms.alone() ? insertAlone(connection, record, terms) : insertWithDomain(connection, record, terms);
    }

    private InsertResult insertAlone(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(terms.mayBeLost() ? insertRelaxed : insertAlone)) {
            bindAlone(statement, record, terms);
            InsertResult inserted = statement.executeUpdate() == 1 ? InsertResult.WITHOUT_NAME : InsertResult.NOT;
            CommitWarning.requireNone(statement);
            return inserted;
        } catch (SQLException thrown) {
            throw ofClaim(thrown);
        }
    }

    private static int bindAlone(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        return bindKey(statement, bindInsert(statement, record, terms), record.key());
    }

    private static int bindInsert(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        int at = bindRecord(statement, bindKey(statement, 1, record.key()), record);
        statement.setLong(at, micros(terms.retention()));
        statement.setString(at + 1, Long.toString(millis(terms.lockWait())));
        return at + 2;
    }

    /** The driver sends statements that stand together without waiting in between. */
    @Override
    boolean claimsAndLocks(Connection connection) throws SQLException {
        return PgDriver.sendsTogether(connection);
    }

    @Override
    InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions terms) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(terms.mayBeLost() ? claimRelaxedAndLock : claimAndLock)) {
            int at = bindAlone(statement, pending, terms);
            statement.setObject(bindKey(statement, at, pending.key()), pending.token());
            statement.execute();
            boolean inserted = statement.getUpdateCount() == 1;
            try (ResultSet rows = firstRows(statement)) {
                return rows.next()
                        ? InsertResult.in(rows.getString(1))
                        : inserted ? InsertResult.WITHOUT_NAME : InsertResult.NOT;
            }
        } catch (SQLException thrown) {
            throw ofClaim(thrown);
        }
    }

    @Override
    Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(readAndEnd)) {
            bindKey(statement, 1, key);
            statement.execute();
            try (ResultSet rows = firstRows(statement)) {
                return rows.next() ? Optional.of(recordIn(rows, 1, key)) : Optional.empty();
            }
        }
    }

    /** Of several statements the first that has rows, if only none. */
    private static ResultSet firstRows(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.getResultSet();
        while (rows == null) {
            if (!statement.getMoreResults() && statement.getUpdateCount() < 0) {
                throw new SQLException("The database did not answer to the lock.", "08P01");
            }
            rows = statement.getResultSet();
        }
        return rows;
    }

    private InsertResult insertWithDomain(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertWithDomain)) {
            bindInsert(statement, record, terms);
            return statement.executeUpdate() == 1 ? CLAIMED : InsertResult.NOT;
        } catch (SQLException thrown) {
            throw ofClaim(thrown);
        }
    }

    /**
     * A rival of the key holds a row, which the server names. A claim that waited for anything else has met no rival.
     */
    private static SQLException ofClaim(SQLException thrown) {
        return LOCK_NOT_GIVEN.equals(thrown.getSQLState())
                        && PgDriver.isOfServer(thrown)
                        && !PgDriver.hasContext(thrown)
                ? new SQLException(
                        "the claim waited for a lock, and not for another claim of its key", CANCELLED, thrown)
                : thrown;
    }

    /** At a mark, of a table that the same transaction has reached before. */
    private static SQLException reached(SQLException thrown, IdempotencyKey key) {
        if (OUT_OF_REACH.contains(String.valueOf(thrown.getSQLState())) && !PgDriver.hasContext(thrown)) {
            throw new StoreException(
                    key + ": the table of the record was reached before the work and is out of reach after it: the work"
                            + " has changed search_path or role. Leave both as they are, or name the table with its"
                            + " schema by withTable and give the role its rights",
                    Fault.STATEMENT_REFUSED,
                    thrown);
        }
        return thrown;
    }

    @Override
    Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = connection.getAutoCommit() ? readAlone : read;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bindKey(statement, 1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(recordIn(rows, 1, key)) : Optional.empty();
            }
        }
    }

    @Override
    Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        if (keys.size() == 1) {
            return super.readAll(connection, keys);
        }
        List<IdempotencyKey> wanted = List.copyOf(keys);
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(readAll)) {
            statement.setArray(1, texts(connection, wanted, IdempotencyKey::scope));
            statement.setArray(2, texts(connection, wanted, IdempotencyKey::operation));
            statement.setArray(3, texts(connection, wanted, IdempotencyKey::value));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    IdempotencyKey key = wanted.get(rows.getInt(1 + WIDTH) - 1);
                    found.put(key, recordIn(rows, 1, key));
                }
            }
        }
        return found;
    }

    private static Array texts(Connection connection, List<IdempotencyKey> keys, Function<IdempotencyKey, String> part)
            throws SQLException {
        return connection.createArrayOf("text", keys.stream().map(part).toArray());
    }

    /** A call that finds the record free, as nearly every call does, sets no bound. */
    @Override
    Optional<LockedRecord> lock(Connection connection, IdempotencyKey key, Duration wait) throws SQLException {
        if (wait.isZero()) {
            return lock(connection, lockAtOnce, key, null);
        }
        Optional<LockedRecord> free = lock(connection, lockIfFree, key, null);
        return free.isPresent() ? free : lock(connection, lock, key, wait);
    }

    private static Optional<LockedRecord> lock(
            Connection connection, String sql, IdempotencyKey key, @Nullable Duration wait) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int at = bindKey(statement, 1, key);
            if (wait != null) {
                statement.setString(at, Long.toString(millis(wait)));
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(new LockedRecord(recordIn(rows, 2, key), rows.getString(1)))
                        : Optional.empty();
            }
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
        // In the domain's transaction the record is locked already, and the user's own bound stays.
        try (PreparedStatement statement = connection.prepareStatement((alone ? changesAlone : changes).get(change))) {
            int at = bindChange(statement, change, key, token, values);
            if (alone) {
                statement.setString(at, Long.toString(millis(LOCK_WAIT)));
            }
            boolean changed = statement.executeUpdate() == 1;
            requireNoWarning(statement, alone);
            return changed;
        } catch (SQLException thrown) {
            boolean wasReached = change == Change.SUCCEED && values[values.length - 1] != null;
            throw alone || !wasReached ? thrown : reached(thrown, key);
        }
    }

    /** MERGE came with version 15, which the driver knows without asking. */
    @Override
    boolean marksWithCommit(Connection connection) throws SQLException {
        return PgDriver.sendsTogether(connection) && connection.getMetaData().getDatabaseMajorVersion() >= 15;
    }

    private static boolean isRaisedByUs(SQLException thrown) {
        return NOT_A_BOOLEAN.equals(thrown.getSQLState())
                && String.valueOf(thrown.getMessage()).contains(UNCHANGED);
    }

    /** The error that a mark raises where it changes nothing keeps the server from getting to the commit. */
    @Override
    boolean succeedAndCommit(Connection connection, SuccessMark mark) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(succeedAndCommit)) {
            statement.setBytes(1, bytes(mark.result()));
            int at = bindKey(statement, 2, mark.key());
            statement.setObject(at, mark.token());
            statement.setString(at + 1, mark.transaction());
            statement.execute();
            boolean changed = statement.getUpdateCount() == 1;
            CommitWarning.requireNone(statement);
            return changed;
        } catch (SQLException thrown) {
            if (isRaisedByUs(thrown)) {
                return false;
            }
            throw reached(thrown, mark.key());
        }
    }

    @Override
    boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean alone) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(confirm)) {
            int at = bindKey(statement, 1, key);
            statement.setObject(at, token);
            statement.setString(at + 1, Long.toString(millis(LOCK_WAIT)));
            boolean confirmed = statement.executeUpdate() == 1;
            requireNoWarning(statement, alone);
            return confirmed;
        }
    }

    /** Of a statement that was a transaction of its own. In another the commit is asked. */
    private static void requireNoWarning(Statement statement, boolean alone) throws SQLException {
        if (alone) {
            CommitWarning.requireNone(statement);
        }
    }

    @Override
    boolean isTransaction(Connection connection, String transaction) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IS_TRANSACTION)) {
            statement.setString(1, transaction);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    @Override
    boolean guardsWithCommit(Connection connection) throws SQLException {
        return claimsAndLocks(connection);
    }

    @Override
    boolean guardAndCommit(Connection connection, String transaction) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(GUARD_AND_COMMIT)) {
            statement.setString(1, transaction);
            statement.execute();
            CommitWarning.requireNone(statement);
            return true;
        } catch (SQLException thrown) {
            if (isRaisedByUs(thrown)) {
                return false;
            }
            throw thrown;
        }
    }

    @Override
    PurgeSweep sweep() {
        return sweep;
    }

    @Override
    boolean hasBegun(Connection connection) throws SQLException {
        return PgDriver.hasBegun(connection);
    }

    @Override
    void isolate(Connection connection, TransactionIsolationLevel level) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + level.name().replace('_', ' '));
        }
    }

    @Override
    void requireCommittable(Connection connection) throws SQLException {
        if (!PgDriver.isKnown(connection)) {
            // Fails with 25P02 if the transaction is aborted; the driver's commit would not.
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        } else if (PgDriver.isFailed(connection)) {
            throw new StoreException(
                    "The database has aborted this transaction because of an SQL error that the work swallowed; its"
                            + " commit would be a silent rollback. Let the error out, or set a savepoint before a"
                            + " statement that may fail",
                    Fault.STATEMENT_REFUSED,
                    null);
        }
    }
}
