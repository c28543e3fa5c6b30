package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
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
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** PostgreSQL: binds and sends {@link PostgreSqlStatements}, and reads the answers. */
public final class PostgreSqlDialect extends PostgreSqlBase {

    static final InsertResult CLAIMED = InsertResult.in(PostgreSqlStatements.CLAIMED_IN);

    private final PostgreSqlStatements statements;
    private final CombinedStatements combined;
    private final PostgreSqlMany many;

    public PostgreSqlDialect(RecordTable table) {
        super(table, "io/counterpoint/idempotency/jdbc/postgresql.sql");
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
        return PostgreSqlCatalogue.facts(connection, table());
    }

    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions terms)
            throws SQLException {
        boolean alone = terms.autoCommit();
        String ofItsOwn = terms.mayBeLost() ? statements.insertRelaxed : statements.insertAlone;
        String sql = alone ? ofItsOwn : statements.insertWithDomain;
        try {
            boolean inserted = Sql.changes(connection, sql, alone, statement -> {
                int at = bindInsert(statement, record, terms);
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

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        String sql = connection.getAutoCommit() ? statements.readAlone : statements.read;
        return Sql.prepared(connection, sql, statement -> ROW.first(statement, key));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        return keys.size() == 1 ? super.readAll(connection, keys) : many.readAll(connection, keys);
    }

    @Override
    public Map<IdempotencyKey, InsertResult> insertAll(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions terms) throws SQLException {
        return terms.autoCommit() || !PostgreSqlMany.canInsert(records)
                ? super.insertAll(connection, records, terms)
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
        String sql = Objects.requireNonNull((autoCommit ? statements.changesAlone : statements.changes).get(change));
        try {
            return Sql.changes(connection, sql, autoCommit, statement -> {
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
        return Sql.changes(connection, statements.confirm, autoCommit, statement -> {
            int at = bindKey(statement, 1, key);
            statement.setObject(at, token);
            statement.setString(at + 1, Long.toString(millis(LOCK_WAIT)));
        });
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
}
