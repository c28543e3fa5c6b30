package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.session.Sql.prepared;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.postgresql.PlainCatalogue;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlBase;
import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
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
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * For databases that speak PostgreSQL and spread over machines, such as CockroachDB and YugabyteDB, with PostgreSQL's
 * driver. Each step is an ordinary statement of its own, so a call takes more round trips than on PostgreSQL.
 *
 * <p>{@link JdbcIdempotencyStore#on(DataSource)} takes it where the server says that it is one of the two.
 *
 * <p><b>It is tested on PostgreSQL only.</b> Run the contract of stores against your server before you rely on it; the
 * page on databases says how. What it needs there: row locks that hold on all nodes, a primary key that waits for the
 * transaction of a rival, savepoints, {@code lock_timeout}, and commits that survive a crash once they are answered.
 *
 * <p>Claims are always durable. A conflict is accepted at any statement, the commit included (SQLSTATE 40001), and the
 * work then runs again. A commit whose outcome the server does not know (40003) is looked up. A savepoint, set when the
 * record is claimed or locked, shows whether the work has ended its transaction.
 */
// All of what it inherits is declared by Dialect, which is exported.
@SuppressWarnings("exports")
public final class PlainPostgreSqlDialect extends PostgreSqlBase {

    private static final String NOW = "clock_timestamp()";
    private static final TransactionName TRANSACTION = new TransactionName("idempotency_transaction");
    private static final String NO_SUCH_SAVEPOINT = "3B001";

    /** Errors of its system, and internal ones. */
    private static final List<String> OF_THE_SERVER = List.of("58", "XX");

    private final String select;

    private PlainPostgreSqlDialect(RecordTable table) {
        super(table, "io/counterpoint/idempotency/jdbc/postgresql-plain.sql");
        this.select = "SELECT " + columnsAt(NOW) + " FROM " + table + " WHERE " + THIS_KEY;
    }

    /**
     * The dialect, whatever the server is.
     *
     * @return the dialect, for the table {@link RecordTable#DEFAULT}
     */
    public static PlainPostgreSqlDialect create() {
        return new PlainPostgreSqlDialect(RecordTable.DEFAULT);
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Override
    public Dialect withTable(RecordTable other) {
        return new PlainPostgreSqlDialect(other);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        return PlainCatalogue.facts(connection, table());
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    /** An insert alone would wait for another's uncommitted mark. A call that sees a record need not insert. */
    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        String sql = """
                INSERT INTO %1$s (scope, operation, key_value, %2$s, created_at, updated_at, expires_at)
                SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %3$s, %3$s, %3$s + ? * interval '1 microsecond'
                WHERE NOT EXISTS (SELECT 1 FROM %1$s WHERE %4$s) ON CONFLICT DO NOTHING
                """.formatted(table(), COLUMNS, NOW, THIS_KEY);
        boolean inserted = bounded(connection, options.lockWait(), sql, statement -> {
            int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
            statement.setDouble(at, (double) micros(options.retention()));
            bindKey(statement, at + 1, record.key());
            return Sql.changes(statement, options.autoCommit());
        });
        if (!inserted) {
            return InsertResult.EXISTS;
        }
        return options.autoCommit()
                ? InsertResult.COMMITTED
                : InsertResult.in(begun(connection, options.transaction()));
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        return prepared(connection, select, statement -> ROW.first(statement, key));
    }

    /** A call that finds the record free, as nearly every call does, sets no bound. */
    @Override
    public Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException {
        String sql = select + " FOR UPDATE";
        Optional<IdempotencyRecord> found;
        if (wait.isZero()) {
            found = prepared(connection, sql + " NOWAIT", statement -> ROW.first(statement, key));
        } else {
            found = prepared(connection, sql + " SKIP LOCKED", statement -> ROW.first(statement, key));
            if (found.isEmpty()) {
                found = bounded(connection, wait, sql, statement -> ROW.first(statement, key));
            }
        }
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(new LockedRecord(found.get(), begun(connection, transaction)));
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
        String sql = change.sql(table(), NOW);
        if (change != RecordChange.SUCCEED) {
            return changed(
                    connection, sql, autoCommit, statement -> ROW.bindChange(statement, change, key, token, values));
        }
        Object transaction = values[values.length - 1];
        return (transaction == null || isStill(connection))
                && changed(connection, sql, autoCommit, statement -> {
                    statement.setObject(1, values[0], Types.BINARY);
                    ROW.bindToken(statement, bindKey(statement, 2, key), token);
                });
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        String sql = "UPDATE " + table() + " SET updated_at = greatest(" + NOW
                + ", updated_at + interval '1 microsecond') WHERE " + THIS_KEY + " AND token = ?";
        return bounded(connection, LOCK_WAIT, sql, statement -> {
            ROW.bindToken(statement, bindKey(statement, 1, key), token);
            return Sql.changes(statement, autoCommit);
        });
    }

    /** In the domain's transaction the record is locked already, and the user's own bound stays. */
    private static boolean changed(Connection connection, String sql, boolean autoCommit, Sql.Binding binding)
            throws SQLException {
        Sql.Use<Boolean> step = statement -> {
            binding.to(statement);
            return Sql.changes(statement, autoCommit);
        };
        return autoCommit ? bounded(connection, LOCK_WAIT, sql, step) : prepared(connection, sql, step);
    }

    /**
     * By one ordinary statement. The batch is chosen once, in a part of its own: as a subquery it might be chosen again for
     * each row, and would then delete more.
     */
    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        String sql = """
                WITH expired AS (
                    SELECT scope, operation, key_value FROM %1$s
                    WHERE expires_at >= ? AND expires_at < statement_timestamp() AND state <> 'P'
                        AND updated_at + (expires_at - created_at) < statement_timestamp()
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)
                DELETE FROM %1$s WHERE (scope, operation, key_value) IN (SELECT * FROM expired)
                RETURNING expires_at
                """.formatted(table());
        return prepared(connection, sql, statement -> {
            statement.setObject(1, from);
            statement.setInt(2, batch);
            int count = 0;
            OffsetDateTime latest = null;
            try (ResultSet purged = statement.executeQuery()) {
                for (; purged.next(); count++) {
                    OffsetDateTime expired = purged.getObject(1, OffsetDateTime.class);
                    latest = latest == null || expired.isAfter(latest) ? expired : latest;
                }
            }
            return new PurgedBatch(count, latest);
        });
    }

    // ---- a bound of waits ----------------------------------------------------------------------------------------

    /**
     * With a bound of its waits, for its transaction only: a gateway may give the next statement another session. What
     * fails ends the transaction, and with it the bound.
     */
    private static <T> T bounded(Connection connection, Duration wait, String sql, Sql.Use<T> step)
            throws SQLException {
        if (connection.getAutoCommit()) {
            return boundedAlone(connection, wait, sql, step);
        }
        String before = String.valueOf(Sql.single(connection, "SHOW lock_timeout"));
        bound(connection, Long.toString(millis(wait)));
        T result = Sql.prepared(connection, sql, step);
        bound(connection, before);
        return result;
    }

    private static void bound(Connection connection, String timeout) throws SQLException {
        Sql.execute(connection, "SET LOCAL lock_timeout = '" + timeout + "'");
    }

    private static <T> T boundedAlone(Connection connection, Duration wait, String sql, Sql.Use<T> step)
            throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            bound(connection, Long.toString(millis(wait)));
            result = Sql.prepared(connection, sql, step);
            connection.clearWarnings();
            connection.commit();
            CommitWarning.requireNone(connection.getWarnings());
        } catch (SQLException thrown) {
            end(connection, true);
            throw thrown;
        }
        end(connection, false);
        return result;
    }

    /** Whatever fails here changes no answer of the database. The connection is of no further use then. */
    private static void end(Connection connection, boolean failed) throws SQLException {
        try {
            if (failed) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        } catch (SQLException broken) {
            Dialect.discard(connection);
        }
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /**
     * Named by its first step, and never again in it. There is no savepoint of that name at the start of a transaction, so
     * the name is always the same.
     */
    private static TransactionName begun(Connection connection, Optional<TransactionName> already) throws SQLException {
        if (already.isEmpty()) {
            Sql.execute(connection, "SAVEPOINT " + TRANSACTION);
        }
        return TRANSACTION;
    }

    /** A savepoint can only be looked for by its use. */
    private static boolean finds(Connection connection, String use, TransactionName transaction) throws SQLException {
        try {
            Sql.execute(connection, use + " SAVEPOINT " + transaction);
            return true;
        } catch (SQLException thrown) {
            if (NO_SUCH_SAVEPOINT.equals(thrown.getSQLState())) {
                return false;
            }
            throw thrown;
        }
    }

    /** By its release. Nothing asks for it after this. */
    @Override
    public boolean isTransaction(Connection connection, TransactionName transaction) throws SQLException {
        return finds(connection, "RELEASE", transaction);
    }

    /** After an error of the server too: then only a savepoint leads back. */
    @Override
    public boolean hasEnded(Connection connection, TransactionName transaction, Fault thrown) throws SQLException {
        return !finds(connection, "ROLLBACK TO", transaction);
    }

    /** The same before a mark, after which another may follow: the savepoint is set again. */
    private boolean isStill(Connection connection) throws SQLException {
        return isTransaction(connection, TRANSACTION)
                && begun(connection, Optional.empty()).equals(TRANSACTION);
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    /** An error of the server itself, at a commit, may leave open what became of it on the other machines. */
    @Override
    public Fault classify(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return OF_THE_SERVER.stream().anyMatch(state::startsWith) ? Fault.UNRECOGNISED : super.classify(thrown);
    }
}
