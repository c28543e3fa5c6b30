package io.counterpoint.idempotency.jdbc.plain;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Column;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * A template for servers that speak PostgreSQL's protocol, with PostgreSQL's driver. Each step is an ordinary statement of
 * its own, so a call takes more round trips than on PostgreSQL, on which alone this class has run.
 *
 * <p>What it needs of a server: row locks that hold on all nodes, a primary key that waits for the transaction of a rival,
 * savepoints, {@code lock_timeout}, and commits that survive a crash once they are answered.
 *
 * <p>Claims are always durable. A conflict is accepted at any statement, the commit included (SQLSTATE 40001), and the
 * work then runs again. A commit whose outcome the server does not know (40003) is looked up. A savepoint, set when the
 * record is claimed or locked, shows whether the work has ended its transaction.
 */
public final class PlainPostgreSqlDialect implements Dialect {

    private static final RecordRow ROW = new RecordRow();
    private static final String SCHEMA = "io/counterpoint/idempotency/jdbc/plain.sql";
    private static final String NOW = "clock_timestamp()";
    private static final TransactionName TRANSACTION = new TransactionName("idempotency_transaction");
    private static final String NO_SUCH_SAVEPOINT = "3B001";
    private static final String IN_DOUBT = "40003";
    private static final String ABORTED = "25P02";

    private final RecordTable table;
    private final String select;

    /**
     * The dialect.
     *
     * @param table the table of its statements
     */
    public PlainPostgreSqlDialect(RecordTable table) {
        this.table = table;
        this.select = "SELECT " + columnsAt(NOW) + " FROM " + table + " WHERE " + THIS_KEY;
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new PlainPostgreSqlDialect(other);
    }

    @Override
    public String schemaFile() {
        return SCHEMA;
    }

    @Override
    public String schema() {
        return table.script(PlainPostgreSqlDialect.class.getResourceAsStream("/" + SCHEMA), SCHEMA, false);
    }

    /** Columns that compare all characters. */
    private static final String EXACT = """
            SELECT column_name FROM information_schema.columns
            WHERE coalesce(collation_name, 'default') IN ('C', 'POSIX', 'ucs_basic', 'default')
                AND table_schema = ? AND table_name = ?
            """;

    /** Each row of a query is a fault, and has the name that goes into its sentence. */
    private static final Map<String, String> FAULTS = Map.of(
            "the trigger %s could change or discard what is stored: DROP TRIGGER",
            """
            SELECT DISTINCT trigger_name FROM information_schema.triggers
            WHERE event_object_schema = ? AND event_object_table = ?
            """,
            "the rule %s could leave out what is inserted: DROP RULE",
            "SELECT rulename FROM pg_catalog.pg_rules WHERE schemaname = ? AND tablename = ?",
            "%s is a view, UNLOGGED or TEMPORARY, so it does not keep its records: make it an ordinary table",
            """
            SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = ? AND c.relname = ? AND (c.relkind NOT IN ('r', 'p') OR c.relpersistence <> 'p')
            """);

    /** Settings of the server, with the values that are fit and what to do about the others. */
    private enum Setting {
        SERVER_ENCODING(Set.of("UTF8"), "use a database that is created with ENCODING 'UTF8'"),
        TRANSACTION_READ_ONLY(Set.of("off"), "connect to the primary, as a user whose sessions may write"),
        SYNCHRONOUS_COMMIT(Set.of("on", "remote_apply"), "set it to on, or a crash loses commits that were answered"),
        CLIENT_MIN_MESSAGES(
                Set.of("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning"),
                "set it to warning, or nobody hears that a commit did not reach its standby");

        @SuppressWarnings("ImmutableEnumChecker") // Set.of makes them immutable.
        private final Set<String> fit;

        private final String remedy;

        Setting(Set<String> fit, String remedy) {
            this.fit = fit;
            this.remedy = remedy;
        }
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        String schema = table.schema().isEmpty() ? connection.getSchema() : table.schema();
        List<String> faults = new ArrayList<>();
        for (Map.Entry<String, String> fault : FAULTS.entrySet()) {
            texts(connection, fault.getValue(), schema, table.name())
                    .forEach(name -> faults.add(String.format(fault.getKey(), name)));
        }
        for (Setting setting : Setting.values()) {
            String value = texts(connection, "SHOW " + setting).get(0);
            if (!setting.fit.contains(value)) {
                faults.add(setting + " is " + value + ": " + setting.remedy);
            }
        }
        Set<String> exact = Set.copyOf(texts(connection, EXACT, schema, table.name()));
        return TableFacts.ofMetaData(connection, schema, table.name(), exact, faults)
                .map(found -> new TableFacts(withTimes(found.columns()), found.primaryKey(), found.faults()));
    }

    /** The driver calls its times with a zone times without one. */
    private static Map<String, Column> withTimes(Map<String, Column> columns) {
        Map<String, Column> known = new LinkedHashMap<>(columns);
        known.replaceAll((name, column) -> !column.type().equals("timestamptz")
                ? column
                : new Column(Kind.TIME, column.type(), column.size(), column.nullable(), column.filled(), false));
        return known;
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
                """.formatted(table, COLUMNS, NOW, THIS_KEY);
        boolean inserted = bounded(connection, options.lockWait(), sql, statement -> {
            int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
            statement.setDouble(at, (double) micros(options.retention()));
            bindKey(statement, at + 1, record.key());
            return changes(statement, options.autoCommit());
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
        String sql = change.sql(table, NOW);
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
        String sql = "UPDATE " + table + " SET updated_at = greatest(" + NOW
                + ", updated_at + interval '1 microsecond') WHERE " + THIS_KEY + " AND token = ?";
        return bounded(connection, LOCK_WAIT, sql, statement -> {
            ROW.bindToken(statement, bindKey(statement, 1, key), token);
            return changes(statement, autoCommit);
        });
    }

    /** In the domain's transaction the record is locked already, and the user's own bound stays. */
    private static boolean changed(Connection connection, String sql, boolean autoCommit, Binding binding)
            throws SQLException {
        Use<Boolean> step = statement -> {
            binding.to(statement);
            return changes(statement, autoCommit);
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
                """.formatted(table);
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
    private static <T> T bounded(Connection connection, Duration wait, String sql, Use<T> step) throws SQLException {
        if (connection.getAutoCommit()) {
            return boundedAlone(connection, wait, sql, step);
        }
        String before = texts(connection, "SHOW lock_timeout").get(0);
        bound(connection, Long.toString(millis(wait)));
        T result = prepared(connection, sql, step);
        bound(connection, before);
        return result;
    }

    private static void bound(Connection connection, String timeout) throws SQLException {
        execute(connection, "SET LOCAL lock_timeout = '" + timeout + "'");
    }

    private static <T> T boundedAlone(Connection connection, Duration wait, String sql, Use<T> step)
            throws SQLException {
        connection.setAutoCommit(false);
        T result;
        try {
            bound(connection, Long.toString(millis(wait)));
            result = prepared(connection, sql, step);
            connection.clearWarnings();
            connection.commit();
            requireNone(connection.getWarnings());
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
            execute(connection, "SAVEPOINT " + TRANSACTION);
        }
        return TRANSACTION;
    }

    /** A savepoint can only be looked for by its use. */
    private static boolean finds(Connection connection, String use, TransactionName transaction) throws SQLException {
        try {
            execute(connection, use + " SAVEPOINT " + transaction);
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

    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        return state(connection) != TransactionState.IDLE;
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        execute(
                connection,
                "SET TRANSACTION ISOLATION LEVEL "
                        + switch (level) {
                            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
                            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
                            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
                            default -> throw new IllegalArgumentException("Unexpected isolation level " + level);
                        });
    }

    /** The driver's commit of a transaction that has failed would be a silent rollback. */
    @Override
    public void requireCommittable(Connection connection) throws SQLException {
        if (state(connection) == TransactionState.FAILED) {
            throw new Dialect.Refusal(
                    "the database has aborted this transaction because the work swallowed an SQL error; its COMMIT"
                            + " would silently roll back. Rethrow the error, or set a savepoint before a statement"
                            + " that may fail",
                    ABORTED,
                    null);
        }
    }

    private static TransactionState state(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState();
    }

    // ---- statements ----------------------------------------------------------------------------------------------

    private interface Use<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    private interface Binding {
        void to(PreparedStatement statement) throws SQLException;
    }

    private static <T> T prepared(Connection connection, String sql, Use<T> use) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return use.of(statement);
        }
    }

    private static boolean changes(PreparedStatement statement, boolean alone) throws SQLException {
        boolean changed = statement.executeUpdate() == 1;
        if (alone) {
            requireNone(statement.getWarnings());
        }
        return changed;
    }

    /** PostgreSQL warns where it gave up waiting for its standby: the commit is there, and may be lost with this server. */
    private static void requireNone(@Nullable SQLWarning warning) throws SQLException {
        if (warning != null) {
            throw new SQLException("The database returned a warning, so the commit is in doubt", IN_DOUBT, warning);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of all rows. */
    private static List<String> texts(Connection connection, String sql, String... values) throws SQLException {
        return prepared(connection, sql, statement -> {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            List<String> texts = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            return texts;
        });
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    /** An error of the server itself, at a commit, may leave open what became of it on the other machines. */
    @Override
    public Fault classify(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return switch (state) {
            case "40P01" -> Fault.CONFLICT;
            case "55P03" -> Fault.LOCK_TIMEOUT;
            case "57014" -> Fault.CANCELLED;
            // The server ended a session that was idle for too long.
            case "25P03", "25P04" -> Fault.CONNECTION_LOST;
            default ->
                switch (state.substring(0, 2)) {
                    // An operator has intervened.
                    case "57" -> Fault.CONNECTION_LOST;
                    // Resources of the server.
                    case "53" -> Fault.CANCELLED;
                    // What a function raises.
                    case "P0" -> Fault.STATEMENT_REFUSED;
                    default -> Dialect.super.classify(thrown);
                };
        };
    }

    @Override
    public Optional<String> constraint(SQLException thrown) {
        return thrown instanceof PSQLException known
                ? Optional.ofNullable(known.getServerErrorMessage()).map(ServerErrorMessage::getConstraint)
                : Optional.empty();
    }
}
