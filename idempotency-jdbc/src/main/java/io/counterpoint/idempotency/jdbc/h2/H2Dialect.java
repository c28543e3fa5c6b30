package io.counterpoint.idempotency.jdbc.h2;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.WIDTH;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
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
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * H2, embedded or as a server. A step may take several statements: a failed one does not abort the transaction, and the
 * lock timeout is a session setting. The clock stands still within a transaction. {@code MERGE KEY} is never used,
 * because it overwrites. A duplicate insert waits for the other transaction and is then rejected; its waits can add up
 * to twice the limit.
 */
public final class H2Dialect implements Dialect {

    private static final RecordRow ROW = new RecordRow();
    private static final String SCHEMA = "io/counterpoint/idempotency/jdbc/h2.sql";

    private static final String DUPLICATE = "23505";

    /** No such schema, missing privilege. */
    private static final Set<String> OUT_OF_REACH = Set.of("90079", "90096");

    /**
     * Whether this is the transaction with the given name; true if none is given. A transaction that has changed
     * nothing has no name.
     */
    private static final String IN_ITS_TRANSACTION = "COALESCE(COALESCE(TRANSACTION_ID(), 'none') = ?, TRUE)";

    private static final String BOUND = "SET LOCK_TIMEOUT ";

    private static final Set<String> IMPLICIT_COMMITS =
            Set.of("CREATE TABLE", "CREATE INDEX", "ALTER TABLE", "DROP TABLE", "TRUNCATE TABLE");

    private final RecordTable table;
    private final String insert;
    private final String read;
    private final String lock;
    private final String confirm;
    private final String purge;

    /**
     * Inserts a row that is deleted within the same transaction. Its times are constants, because the clock stands
     * still in a transaction.
     */
    private final String come;

    private final String go;

    public H2Dialect(RecordTable table) {
        this.table = table;
        insert = """
                INSERT INTO %1$s (scope, operation, key_value, %2$s, created_at, updated_at, expires_at)
                SELECT ?, ?, ?, ?, ?, CAST(? AS uuid), ?, ?, ?, ?,
                    CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, DATEADD(MICROSECOND, ?, CURRENT_TIMESTAMP)
                WHERE NOT EXISTS (SELECT 1 FROM %1$s WHERE %3$s)
                """.formatted(table, COLUMNS, THIS_KEY);
        read = "SELECT %s, TRANSACTION_ID() FROM %s WHERE %s"
                .formatted(columnsAt("CURRENT_TIMESTAMP"), table, THIS_KEY);
        lock = read + " FOR UPDATE";
        confirm = "UPDATE " + table + " SET updated_at = CURRENT_TIMESTAMP WHERE " + THIS_KEY + " AND token = ?";
        purge = """
                SELECT COUNT(*), MAX(expires_at) FROM OLD TABLE (
                    DELETE FROM %s WHERE expires_at < CURRENT_TIMESTAMP AND state <> 'P'
                        AND expires_at >= CAST(?1 AS timestamp(6) with time zone)
                        AND updated_at + (expires_at - created_at) < CURRENT_TIMESTAMP
                    FETCH FIRST ?2 ROWS ONLY)
                """.formatted(table);
        come = """
                INSERT INTO %1$s (scope, operation, key_value, protocol, state, token, fingerprint,
                    created_at, updated_at, expires_at)
                VALUES ('idempotency', 'transaction', ?, 'S', 'P', RANDOM_UUID(), X'00', %2$s, %2$s, %2$s)
                """.formatted(table, "TIMESTAMP WITH TIME ZONE '2000-01-01 00:00:00+00'");
        go = "DELETE FROM " + table + " WHERE scope = 'idempotency' AND operation = 'transaction' AND key_value = ?";
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new H2Dialect(other);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        return H2Catalogue.facts(connection, table);
    }

    @Override
    public String schemaFile() {
        return SCHEMA;
    }

    @Override
    public String schema() {
        return table.script(H2Dialect.class.getResourceAsStream("/" + SCHEMA), SCHEMA, true);
    }

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        if (!waiting(connection, terms.lockWait(), () -> insert(connection, record, terms.retention()))) {
            return InsertResult.EXISTS;
        }
        return terms.autoCommit() ? InsertResult.COMMITTED : InsertResult.in(transaction(connection));
    }

    private boolean insert(Connection connection, IdempotencyRecord record, Duration retention) throws SQLException {
        try {
            return Sql.changes(connection, insert, statement -> {
                int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
                statement.setLong(at, micros(retention));
                bindKey(statement, at + 1, record.key());
            });
        } catch (SQLException thrown) {
            if (DUPLICATE.equals(thrown.getSQLState())) {
                return false;
            }
            throw thrown;
        }
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        return first(connection, read, key).map(LockedRecord::record);
    }

    @Override
    public Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException {
        return wait.isZero()
                ? first(connection, lock + " NOWAIT", key)
                : waiting(connection, wait, () -> first(connection, lock, key));
    }

    private static Optional<LockedRecord> first(Connection connection, String sql, IdempotencyKey key)
            throws SQLException {
        return Sql.prepared(connection, sql, statement -> {
            bindKey(statement, 1, key);
            ResultSet rows = statement.executeQuery();
            return rows.next()
                    ? Optional.of(new LockedRecord(
                            ROW.recordIn(rows, 1, key), new TransactionName(String.valueOf(rows.getString(1 + WIDTH)))))
                    : Optional.empty();
        });
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
        String sql = change.sql(table, "CURRENT_TIMESTAMP")
                + (change == RecordChange.SUCCEED ? " AND " + IN_ITS_TRANSACTION : "");
        return changed(connection, sql, statement -> ROW.bindChange(statement, change, key, token, values));
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        return changed(connection, confirm, statement -> ROW.bindToken(statement, bindKey(statement, 1, key), token));
    }

    private static boolean changed(Connection connection, String sql, Sql.Binding binding) throws SQLException {
        return waiting(connection, LOCK_WAIT, () -> Sql.changes(connection, sql, binding));
    }

    /**
     * A transaction has no name before its first change, and a deadlock ends it, so that the next statement begins
     * another one. Therefore a row with a random key is inserted and deleted. If the table is missing, there is no
     * name, but no record can be inserted either.
     */
    @Override
    public Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        String row = UUID.randomUUID().toString();
        Sql.Binding key = statement -> statement.setString(1, row);
        try {
            boolean unused = Sql.changes(connection, come, key);
        } catch (SQLException thrown) {
            if (isOutOfReach(thrown) && !"22001".equals(thrown.getSQLState())) {
                return Optional.empty();
            }
            throw thrown;
        }
        boolean unused = Sql.changes(connection, go, key);
        return Optional.of(transaction(connection));
    }

    @Override
    public boolean isTransaction(Connection connection, TransactionName name) throws SQLException {
        return name.equals(transaction(connection));
    }

    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        return PurgedBatch.by(connection, purge, from, batch);
    }

    /** The statement that deletes a batch. */
    public String purge() {
        return purge;
    }

    @Override
    public boolean isOutOfReach(SQLException thrown) {
        return Dialect.super.isOutOfReach(thrown) || OUT_OF_REACH.contains(String.valueOf(thrown.getSQLState()));
    }

    @Override
    public Fault classify(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return switch (state) {
            case "90131" -> Fault.CONFLICT;
            case "HYT00" -> Fault.LOCK_TIMEOUT;
            case "57014" -> Fault.CANCELLED;
            // The session or the database was closed.
            case "90067", "90098", "90121" -> Fault.CONNECTION_LOST;
            default -> SqlErrorClassifier.refusedByClass(state, Dialect.super.classify(thrown));
        };
    }

    /** The isolation level belongs to the session and persists. */
    @Override
    public Set<String> implicitCommits() {
        return IMPLICIT_COMMITS;
    }

    @Override
    public OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.of(connection.getTransactionIsolation());
    }

    /**
     * Embedded H2 exchanges no messages. After its connection is closed, HikariCP keeps handing it out for half a
     * second.
     */
    @Override
    public boolean losesStepByErrors() {
        return false;
    }

    /** If uncommitted rows are visible, a lookup may find an effect that is rolled back. */
    private static void requireCommittedReads(Connection connection) throws SQLException {
        if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
            throw new MisuseException(
                    "The connection reads uncommitted data, so a lookup would find effects that are later rolled"
                            + " back. Set the pool to READ COMMITTED or a stricter isolation level.");
        }
    }

    /** With autocommit on, no transaction can have begun, so no query is needed. */
    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        requireCommittedReads(connection);
        return !connection.getAutoCommit() && Sql.single(connection, "SELECT TRANSACTION_ID()") != null;
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        connection.setTransactionIsolation(level);
    }

    /** A failed statement does not abort a transaction here, so there is nothing to unmask. */
    @Override
    public void requireCommittable(Connection connection) {}

    private static TransactionName transaction(Connection connection) throws SQLException {
        return new TransactionName(String.valueOf(Sql.single(connection, "SELECT TRANSACTION_ID()")));
    }

    /** Runs a step with a lock timeout and restores the user's own. */
    private static <T> T waiting(Connection connection, Duration wait, Sql.Step<T> step) throws SQLException {
        String before = Sql.single(connection, "SELECT LOCK_TIMEOUT()");
        try {
            Sql.execute(connection, BOUND + millis(wait));
            return step.run();
        } finally {
            restore(connection, before == null ? "DEFAULT" : before);
        }
    }

    /** A session left with this library's timeout must not be used any more. */
    private static void restore(Connection connection, String millis) throws SQLException {
        try {
            Sql.execute(connection, BOUND + millis);
        } catch (SQLException | RuntimeException | Error thrown) {
            Dialect.discard(connection);
            throw thrown;
        }
    }
}
