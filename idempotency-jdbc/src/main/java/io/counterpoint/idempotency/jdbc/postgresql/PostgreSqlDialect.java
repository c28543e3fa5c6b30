package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.WIDTH;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bytes;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.session.Sql;
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
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The dialect for PostgreSQL: binds and sends {@link PostgreSqlStatements} and reads the results. */
public final class PostgreSqlDialect implements Dialect, CombinedStatements {

    private static final RecordRow ROW = new RecordRow();
    private static final String SCHEMA = "io/counterpoint/idempotency/jdbc/postgresql.sql";

    /** In a failed transaction. */
    private static final String ABORTED = "25P02";

    private static final Set<String> TABLE_CHOICES = Stream.concat(
                    SCHEMA_CHOICES.stream(),
                    Stream.of(
                            "SET ROLE",
                            "SET SESSION ROLE",
                            "SET SESSION AUTHORIZATION",
                            "RESET ROLE",
                            "RESET SESSION AUTHORIZATION"))
            .collect(Collectors.toUnmodifiableSet());

    private static final InsertResult CLAIMED = InsertResult.in(PostgreSqlStatements.CLAIMED_IN);

    private final RecordTable table;
    private final PostgreSqlStatements statements;

    public PostgreSqlDialect(RecordTable table) {
        this.table = table;
        statements = new PostgreSqlStatements(table);
    }

    @Override
    public RecordTable table() {
        return table;
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
    public Dialect withTable(RecordTable other) {
        return new PostgreSqlDialect(other);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        return PostgreSqlCatalogue.facts(connection, table);
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        boolean alone = terms.autoCommit();
        String ofItsOwn = terms.mayBeLost() ? statements.insertRelaxed : statements.insertAlone;
        boolean bySession = terms.boundedBySession();
        String inTransaction = bySession ? statements.insertBoundedBySession : statements.insertWithDomain;
        try {
            boolean inserted = changes(connection, alone ? ofItsOwn : inTransaction, alone, statement -> {
                int at = bindRow(statement, record, terms);
                if (!bySession) {
                    at = bindWait(statement, at, terms);
                }
                if (alone) {
                    bindKey(statement, at, record.key());
                }
            });
            if (!inserted) {
                return InsertResult.EXISTS;
            }
            return alone ? InsertResult.COMMITTED : CLAIMED;
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    private static int bindInsert(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        return bindWait(statement, bindRow(statement, record, terms), terms);
    }

    private static int bindRow(PreparedStatement statement, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
        // The factor of an interval, which needs no cast.
        statement.setDouble(at, (double) micros(terms.retention()));
        return at + 1;
    }

    private static int bindWait(PreparedStatement statement, int at, ClaimOptions terms) throws SQLException {
        statement.setString(at, Long.toString(millis(terms.lockWait())));
        return at + 1;
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = connection.getAutoCommit() ? statements.readAlone : statements.read;
        return Sql.prepared(connection, sql, statement -> ROW.first(statement, key));
    }

    @Override
    public Optional<String> barrier() {
        return Optional.of(PostgreSqlStatements.BARRIER);
    }

    @Override
    public Optional<String> turn() {
        return Optional.of("SELECT pg_catalog.pg_try_advisory_xact_lock(?)");
    }

    /** A call that finds the record unlocked, as nearly every call does, sets no timeout. */
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
        // In the domain's transaction, the record is already locked and the user's own timeout stays.
        String sql = Objects.requireNonNull((autoCommit ? statements.changesAlone : statements.changes).get(change));
        try {
            return changes(connection, sql, autoCommit, statement -> {
                int at = ROW.bindChange(statement, change, key, token, values);
                if (autoCommit) {
                    statement.setString(at, Long.toString(millis(LOCK_WAIT)));
                }
            });
        } catch (SQLException thrown) {
            boolean wasReached = change == RecordChange.SUCCEED && values[values.length - 1] != null;
            throw autoCommit || !wasReached ? thrown : PostgreSqlErrors.reached(thrown);
        }
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        return changes(connection, statements.confirm, autoCommit, statement -> {
            int at = bindKey(statement, 1, key);
            statement.setObject(at, token);
            statement.setString(at + 1, Long.toString(millis(LOCK_WAIT)));
        });
    }

    /** Whether an update has changed one row. If it is its own transaction, a warning is not acceptable. */
    private static boolean changes(Connection connection, String sql, boolean alone, Sql.Binding binding)
            throws SQLException {
        return Sql.prepared(connection, sql, statement -> {
            binding.to(statement);
            boolean changed = statement.executeUpdate() == 1;
            if (alone) {
                CommitWarning.requireNone(statement.getWarnings(), PgDriver::isHarmless);
            }
            return changed;
        });
    }

    /** This also resets the settings of the transaction, including the one that reveals its end. */
    @Override
    public Set<String> implicitCommits() {
        return Set.of("RESET ALL");
    }

    /** The default search path begins with a schema that has the name of the role. */
    @Override
    public Set<String> tableChoices() {
        return TABLE_CHOICES;
    }

    @Override
    public Optional<String> knownTableChoice(Connection connection) throws SQLException {
        return PgDriver.searchPath(connection);
    }

    @Override
    public boolean isHarmless(SQLWarning answered) {
        return PgDriver.isHarmless(answered);
    }

    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        return PurgedBatch.by(connection, statements.purge, from, batch);
    }

    /** The statement that deletes a batch. */
    public String purge() {
        return statements.purge;
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        return PgDriver.hasBegun(connection);
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        Sql.execute(
                connection,
                "SET TRANSACTION ISOLATION LEVEL "
                        + switch (level) {
                            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
                            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
                            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
                            default -> throw new IllegalArgumentException("Unexpected isolation level " + level);
                        });
    }

    @Override
    public boolean isBlocked(Connection connection) throws SQLException {
        return PgDriver.isCopying(connection);
    }

    @Override
    public void requireCommittable(Connection connection) throws SQLException {
        if (!PgDriver.isKnown(connection)) {
            // Fails with 25P02 if the transaction is aborted, unlike the driver's commit.
            Sql.execute(connection, "SELECT 1");
        } else if (PgDriver.isFailed(connection)) {
            throw new Dialect.Refusal(
                    "the database has aborted this transaction because the work swallowed an SQL error; its COMMIT"
                            + " would silently roll back. Rethrow the error, or set a savepoint before a statement"
                            + " that may fail",
                    ABORTED,
                    null);
        }
    }

    @Override
    public boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException {
        return isTrue(connection, PostgreSqlStatements.IS_TRANSACTION, transaction);
    }

    /**
     * After an error, the server executes nothing more in this transaction. After a conflict, it may already be rolled
     * back through nobody's fault. In both cases, the server can report the status of the named transaction.
     */
    @Override
    public boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        boolean failed = PgDriver.isKnown(connection) && PgDriver.isFailed(connection);
        if (!failed) {
            boolean ended = !isTransaction(connection, transaction);
            if (!ended || !thrown.isTransient()) {
                return ended;
            }
        }
        if (transaction.equals(PostgreSqlStatements.CLAIMED_IN)) {
            // If it was committed, so was the record, which will be found.
            return false;
        }
        return isTrue(connection, PostgreSqlStatements.WAS_COMMITTED, transaction);
    }

    private static boolean isTrue(Connection connection, String question, TransactionName transaction)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(question)) {
            statement.setString(1, transaction.text());
            statement.execute();
            try (ResultSet rows = firstRows(statement)) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    @Override
    public Fault classify(SQLException thrown) {
        return PostgreSqlErrors.classify(thrown, Dialect.super.classify(thrown));
    }

    @Override
    public Optional<String> constraint(SQLException thrown) {
        return PgDriver.constraint(thrown);
    }

    // ---- many records: the parameters are arrays, so that one text serves every number ---------------------------

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        if (keys.size() == 1) {
            return Dialect.super.readAll(connection, keys);
        }
        // Sorted, so that neighbours in the index are read one after the other, from cached pages.
        List<IdempotencyKey> wanted = keys.stream()
                .sorted(Comparator.comparing(IdempotencyKey::value))
                .toList();
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.readAll)) {
            int unused = bindKeys(statement, 1, wanted);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    IdempotencyKey key = wanted.get(rows.getInt(1 + WIDTH) - 1);
                    found.put(key, ROW.recordIn(rows, 1, key));
                }
            }
        }
        return found;
    }

    /** The statement inserts records without failure columns, which is what batches need. */
    @Override
    public Map<IdempotencyKey, InsertResult> insertAll(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions terms) throws SQLException {
        if (records.size() == 1 || terms.autoCommit() || records.stream().anyMatch(Failed.class::isInstance)) {
            return Dialect.super.insertAll(connection, records, terms);
        }
        Set<Object> inserted;
        try (PreparedStatement statement = connection.prepareStatement(statements.insertAll)) {
            bindRows(statement, records, terms);
            inserted = insertedTokens(statement);
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
        Map<IdempotencyKey, InsertResult> results = new HashMap<>();
        for (IdempotencyRecord record : records) {
            boolean isInserted = inserted.contains(record.token());
            results.put(record.key(), isInserted ? CLAIMED : InsertResult.EXISTS);
        }
        return results;
    }

    private static void bindRows(
            PreparedStatement statement, List<? extends IdempotencyRecord> records, ClaimOptions terms)
            throws SQLException {
        statement.setString(1, Long.toString(millis(terms.lockWait())));
        // The factor of an interval, which needs no cast.
        statement.setDouble(2, (double) micros(terms.retention()));
        int at = bindKeys(
                statement, 3, records.stream().map(IdempotencyRecord::key).toList());
        bindTexts(statement, at, records, record -> RecordRow.code(record.protocol()));
        bindTexts(statement, at + 1, records, record -> record.fold(pending -> "P", succeeded -> "S", failed -> "F"));
        bindTokens(statement, at + 2, records, IdempotencyRecord::token);
        bindBytes(statement, at + 3, records, record -> record.fingerprint().toBytes());
        bindBytes(statement, at + 4, records, PostgreSqlDialect::payload);
    }

    private static byte @Nullable [] payload(IdempotencyRecord record) {
        return bytes(record.<Optional<Payload>>fold(Pending::plan, Succeeded::result, f -> Optional.empty()));
    }

    /** The tokens of the inserted records; an aggregate over none is null. */
    private static Set<Object> insertedTokens(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next() || rows.getArray(1) == null) {
                return Set.of();
            }
            return new HashSet<>(Arrays.asList((Object[]) rows.getArray(1).getArray()));
        }
    }

    @Override
    public boolean succeedAll(
            Connection connection, List<LastStep.Success> successes, @Nullable TransactionName transaction)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.succeedAll)) {
            statement.setString(1, transaction == null ? null : transaction.text());
            int at = bindKeys(
                    statement, 2, successes.stream().map(LastStep.Success::key).toList());
            bindTokens(statement, at, successes, LastStep.Success::token);
            bindBytes(statement, at + 1, successes, success -> bytes(Optional.of(success.result())));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1) == successes.size();
            }
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.reached(thrown);
        }
    }

    private static int bindKeys(PreparedStatement statement, int at, List<IdempotencyKey> keys) throws SQLException {
        bindTexts(statement, at, keys, IdempotencyKey::scope);
        bindTexts(statement, at + 1, keys, IdempotencyKey::operation);
        bindTexts(statement, at + 2, keys, IdempotencyKey::value);
        return at + 3;
    }

    /**
     * Arrays of this class are sent as they are. Those of other classes are written as text and parsed by the server.
     */
    private static <T> void bindTexts(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, String> column) throws SQLException {
        bindArray(statement, at, "text", rows.stream().map(column).toArray(String[]::new));
    }

    private static <T> void bindTokens(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, UUID> column) throws SQLException {
        bindArray(statement, at, "uuid", rows.stream().map(column).toArray());
    }

    /** The driver recognizes arrays of bytes by their class. */
    private static <T> void bindBytes(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, byte @Nullable []> column)
            throws SQLException {
        bindArray(statement, at, "bytea", rows.stream().map(column).toArray(byte[][]::new));
    }

    private static void bindArray(PreparedStatement statement, int at, String type, Object[] values)
            throws SQLException {
        statement.setArray(at, statement.getConnection().createArrayOf(type, values));
    }

    // ---- several steps in one round trip -------------------------------------------------------------------------

    /** The driver sends several statements in one text without waiting in between. */
    @Override
    public Optional<CombinedStatements> combined(Connection connection) throws SQLException {
        return PgDriver.sendsTogether(connection) ? Optional.of(this) : Optional.empty();
    }

    /** MERGE requires version 15; the driver knows the version without a query. */
    @Override
    public boolean marksWithCommit(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() >= 15;
    }

    @Override
    public InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions terms) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                terms.mayBeLost() ? statements.claimRelaxedAndLock : statements.claimAndLock)) {
            int at = bindKey(statement, bindInsert(statement, pending, terms), pending.key());
            statement.setObject(bindKey(statement, at, pending.key()), pending.token());
            statement.execute();
            boolean inserted = statement.getUpdateCount() == 1;
            try (ResultSet rows = firstRows(statement)) {
                return rows.next()
                        ? InsertResult.in(new TransactionName(rows.getString(1)))
                        : inserted ? InsertResult.COMMITTED : InsertResult.EXISTS;
            }
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    @Override
    public Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.readAndEnd)) {
            bindKey(statement, 1, key);
            statement.execute();
            try (ResultSet rows = firstRows(statement)) {
                return rows.next() ? Optional.of(ROW.recordIn(rows, 1, key)) : Optional.empty();
            }
        }
    }

    /** The first of several statements that returns a result set, even an empty one. */
    private static ResultSet firstRows(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.getResultSet();
        while (rows == null) {
            if (!statement.getMoreResults() && statement.getUpdateCount() < 0) {
                throw new SQLException("The database did not answer the lock request.", "08P01");
            }
            rows = statement.getResultSet();
        }
        return rows;
    }

    /** A mark that changes nothing raises an error, which keeps the server from reaching the commit. */
    @Override
    public boolean succeedAndCommit(
            Connection connection,
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            TransactionName transaction)
            throws SQLException {
        boolean claimed = transaction.equals(PostgreSqlStatements.CLAIMED_IN);
        try (PreparedStatement statement = connection.prepareStatement(
                claimed ? statements.succeedClaimedAndCommit : statements.succeedAndCommit)) {
            statement.setBytes(1, bytes(result));
            int at = bindKey(statement, 2, key);
            statement.setObject(at, token);
            if (!claimed) {
                bindNumber(statement, at + 1, transaction);
            }
            return isCommitted(statement);
        } catch (SQLException thrown) {
            if (PostgreSqlErrors.isRaisedByUs(thrown)) {
                return false;
            }
            throw PostgreSqlErrors.reached(thrown);
        }
    }

    /** Whether the step before the commit has written one row. */
    private static boolean isCommitted(PreparedStatement statement) throws SQLException {
        return areCommitted(1, statement);
    }

    private static boolean areCommitted(int rows, PreparedStatement statement) throws SQLException {
        statement.execute();
        boolean written = statement.getUpdateCount() == rows;
        CommitWarning.requireNone(statement.getWarnings(), PgDriver::isHarmless);
        return written;
    }

    @Override
    public boolean checkAndCommit(Connection connection, TransactionName transaction) throws SQLException {
        boolean claimed = transaction.equals(PostgreSqlStatements.CLAIMED_IN);
        try (PreparedStatement statement = connection.prepareStatement(
                claimed ? PostgreSqlStatements.CHECK_CLAIMED_AND_COMMIT : PostgreSqlStatements.CHECK_AND_COMMIT)) {
            if (!claimed) {
                bindNumber(statement, 1, transaction);
            }
            statement.execute();
            CommitWarning.requireNone(statement.getWarnings(), PgDriver::isHarmless);
            return true;
        } catch (SQLException thrown) {
            if (PostgreSqlErrors.isRaisedByUs(thrown)) {
                return false;
            }
            throw thrown;
        }
    }

    /** Bound without a type, so that the server infers it from the comparison. */
    private static void bindNumber(PreparedStatement statement, int at, TransactionName transaction)
            throws SQLException {
        statement.setObject(at, transaction.text(), Types.OTHER);
    }

    /** An error of the insert keeps the server from reaching the commit. */
    @Override
    public boolean insertAndCommit(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        boolean one = records.size() == 1;
        try (PreparedStatement statement =
                connection.prepareStatement(one ? statements.insertAndCommit : statements.insertAllAndCommit)) {
            if (one) {
                int unused = bindInsert(statement, records.get(0), options);
            } else {
                bindRows(statement, records, options);
            }
            return areCommitted(records.size(), statement);
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }
}
