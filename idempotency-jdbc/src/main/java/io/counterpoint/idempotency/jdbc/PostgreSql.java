package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.RecordRow.WIDTH;
import static io.counterpoint.idempotency.jdbc.RecordRow.bindChange;
import static io.counterpoint.idempotency.jdbc.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.RecordRow.bindRecord;
import static io.counterpoint.idempotency.jdbc.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.RecordRow.millis;
import static io.counterpoint.idempotency.jdbc.RecordRow.recordIn;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
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
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: binds and sends {@link PostgreSqlStatements}, and reads the answers. */
final class PostgreSql extends Dialect {

    private static final InsertResult CLAIMED = InsertResult.in(PostgreSqlStatements.CLAIMED_IN);

    private final PostgreSqlStatements statements;
    private final CombinedStatements combined;

    PostgreSql(Table table) {
        super(table);
        statements = new PostgreSqlStatements(table);
        combined = new PostgreSqlCombined(statements);
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
                connection.prepareStatement(terms.mayBeLost() ? statements.insertRelaxed : statements.insertAlone)) {
            bindAlone(statement, record, terms);
            InsertResult inserted = statement.executeUpdate() == 1 ? InsertResult.WITHOUT_NAME : InsertResult.NOT;
            CommitWarning.requireNone(statement);
            return inserted;
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    static int bindAlone(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
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
    Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return PgDriver.sendsTogether(connection) ? Optional.of(combined) : Optional.empty();
    }

    private InsertResult insertWithDomain(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.insertWithDomain)) {
            bindInsert(statement, record, terms);
            return statement.executeUpdate() == 1 ? CLAIMED : InsertResult.NOT;
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    @Override
    Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = connection.getAutoCommit() ? statements.readAlone : statements.read;
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
        try (PreparedStatement statement = connection.prepareStatement(statements.readAll)) {
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
            return lock(connection, statements.lockAtOnce, key, null);
        }
        Optional<LockedRecord> free = lock(connection, statements.lockIfFree, key, null);
        return free.isPresent() ? free : lock(connection, statements.lock, key, wait);
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
        try (PreparedStatement statement =
                connection.prepareStatement((alone ? statements.changesAlone : statements.changes).get(change))) {
            int at = bindChange(statement, change, key, token, values);
            if (alone) {
                statement.setString(at, Long.toString(millis(LOCK_WAIT)));
            }
            boolean changed = statement.executeUpdate() == 1;
            requireNoWarning(statement, alone);
            return changed;
        } catch (SQLException thrown) {
            boolean wasReached = change == Change.SUCCEED && values[values.length - 1] != null;
            throw alone || !wasReached ? thrown : PostgreSqlErrors.reached(thrown, key);
        }
    }

    @Override
    boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean alone) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.confirm)) {
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
        try (PreparedStatement statement = connection.prepareStatement(PostgreSqlStatements.IS_TRANSACTION)) {
            statement.setString(1, transaction);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    @Override
    PurgeSweep sweep() {
        return statements.sweep;
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
