package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: binds and sends {@link PostgreSqlStatements}, and reads the answers. */
public final class PostgreSqlDialect implements Dialect {

    static final RecordRow ROW = new RecordRow();

    private static final String SCHEMA = "io/counterpoint/idempotency/jdbc/postgresql.sql";

    /** In a failed transaction. */
    private static final String ABORTED = "25P02";

    static final InsertResult CLAIMED = InsertResult.in(PostgreSqlStatements.CLAIMED_IN);

    private final RecordTable table;
    private final PostgreSqlStatements statements;
    private final CombinedStatements combined;
    private final PostgreSqlMany many;

    public PostgreSqlDialect(RecordTable table) {
        this.table = table;
        statements = new PostgreSqlStatements(table);
        combined = new PostgreSqlCombined(statements);
        many = new PostgreSqlMany(statements);
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new PostgreSqlDialect(other);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        return PostgreSqlCatalogue.facts(connection, table);
    }

    @Override
    public String schemaFile() {
        return SCHEMA;
    }

    @Override
    public String schema() {
        return table.script(PostgreSqlDialect.class.getResourceAsStream("/" + SCHEMA), SCHEMA, false);
    }

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        return terms.autoCommit()
                ? insertAlone(connection, record, terms)
                : insertWithDomain(connection, record, terms);
    }

    private InsertResult insertAlone(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(terms.mayBeLost() ? statements.insertRelaxed : statements.insertAlone)) {
            bindAlone(statement, record, terms);
            InsertResult inserted = statement.executeUpdate() == 1 ? InsertResult.COMMITTED : InsertResult.EXISTS;
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

    static int bindInsert(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
        // The factor of an interval, so that nothing is cast.
        statement.setDouble(at, (double) micros(terms.retention()));
        statement.setString(at + 1, Long.toString(millis(terms.lockWait())));
        return at + 2;
    }

    /** The driver sends statements that stand together without waiting in between. */
    @Override
    public Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return PgDriver.sendsTogether(connection) ? Optional.of(combined) : Optional.empty();
    }

    private InsertResult insertWithDomain(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.insertWithDomain)) {
            bindInsert(statement, record, terms);
            return statement.executeUpdate() == 1 ? CLAIMED : InsertResult.EXISTS;
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = connection.getAutoCommit() ? statements.readAlone : statements.read;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bindKey(statement, 1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? Optional.of(ROW.recordIn(rows, 1, key)) : Optional.empty();
            }
        }
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        return keys.size() == 1 ? Dialect.super.readAll(connection, keys) : many.readAll(connection, keys);
    }

    @Override
    public Map<IdempotencyKey, InsertResult> insertAll(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions terms) throws SQLException {
        return terms.autoCommit() || !PostgreSqlMany.canInsert(records)
                ? Dialect.super.insertAll(connection, records, terms)
                : many.insertAll(connection, records, terms);
    }

    @Override
    public boolean succeedAll(
            Connection connection, List<LastStep.Success> successes, @Nullable TransactionName transaction)
            throws SQLException {
        return many.succeedAll(connection, successes, transaction);
    }

    /** A call that finds the record free, as nearly every call does, sets no bound. */
    @Override
    public Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException {
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
                        ? Optional.of(
                                new LockedRecord(ROW.recordIn(rows, 2, key), new TransactionName(rows.getString(1))))
                        : Optional.empty();
            }
        }
    }

    @Override
    public boolean change(
            Connection connection,
            RecordChange change,
            IdempotencyKey key,
            UUID token,
            boolean autoCommit,
            @Nullable Object... values)
            throws SQLException {
        // In the domain's transaction the record is locked already, and the user's own bound stays.
        try (PreparedStatement statement =
                connection.prepareStatement((autoCommit ? statements.changesAlone : statements.changes).get(change))) {
            int at = ROW.bindChange(statement, change, key, token, values);
            if (autoCommit) {
                statement.setString(at, Long.toString(millis(LOCK_WAIT)));
            }
            boolean changed = statement.executeUpdate() == 1;
            CommitWarning.requireNoneIf(autoCommit, statement);
            return changed;
        } catch (SQLException thrown) {
            boolean wasReached = change == RecordChange.SUCCEED && values[values.length - 1] != null;
            throw autoCommit || !wasReached ? thrown : PostgreSqlErrors.reached(thrown);
        }
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.confirm)) {
            int at = bindKey(statement, 1, key);
            statement.setObject(at, token);
            statement.setString(at + 1, Long.toString(millis(LOCK_WAIT)));
            boolean confirmed = statement.executeUpdate() == 1;
            CommitWarning.requireNoneIf(autoCommit, statement);
            return confirmed;
        }
    }

    @Override
    public boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(PostgreSqlStatements.IS_TRANSACTION)) {
            statement.setString(1, transaction.text());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    /** After an error the server answers nothing more in this transaction. Then its log knows what became of the named one. */
    @Override
    public boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        if (!PgDriver.isKnown(connection) || !PgDriver.isFailed(connection)) {
            return !isTransaction(connection, transaction);
        }
        if (transaction.equals(PostgreSqlStatements.CLAIMED_IN)) {
            // Where it was committed, so was the record, and it is found.
            return false;
        }
        try (PreparedStatement statement = connection.prepareStatement(PostgreSqlStatements.WAS_COMMITTED)) {
            statement.setString(1, transaction.text());
            statement.execute();
            try (ResultSet rows = PostgreSqlCombined.firstRows(statement)) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        return PurgedBatch.by(connection, statements.purge, from, batch);
    }

    /** The text that deletes a batch. */
    public String purge() {
        return statements.purge;
    }

    @Override
    public Fault classify(SQLException thrown) {
        return PostgreSqlErrors.classify(thrown, Dialect.super.classify(thrown));
    }

    @Override
    public Optional<String> constraint(SQLException thrown) {
        return PgDriver.constraint(thrown);
    }

    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        return PgDriver.hasBegun(connection);
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL "
                    + switch (level) {
                        case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
                        case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
                        case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
                        default -> throw new IllegalArgumentException("Unexpected isolation level " + level);
                    });
        }
    }

    @Override
    public void requireCommittable(Connection connection) throws SQLException {
        if (!PgDriver.isKnown(connection)) {
            // Fails with 25P02 if the transaction is aborted; the driver's commit would not.
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        } else if (PgDriver.isFailed(connection)) {
            throw new Dialect.Refusal(
                    "the database has aborted this transaction because of an SQL error that the work swallowed; its"
                            + " commit would be a silent rollback. Let the error out, or set a savepoint before a"
                            + " statement that may fail",
                    ABORTED,
                    null);
        }
    }
}
