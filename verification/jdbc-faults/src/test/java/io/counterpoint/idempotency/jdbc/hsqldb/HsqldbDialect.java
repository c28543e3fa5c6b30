package io.counterpoint.idempotency.jdbc.hsqldb;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.columnsAt;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;

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
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * HSQLDB in the process of its caller, with {@code hsqldb.tx=mvcc} and {@code sql.pad_space=false}. {@code FOR UPDATE} locks
 * nothing there, so an update that changes nothing does. A server over the network cannot be used: see {@link Bound}. Every
 * statement, also the work's own, forgets that its thread is interrupted.
 */
public final class HsqldbDialect implements Dialect {

    private static final RecordRow ROW = new RecordRow();
    private static final String SCHEMA = "io/counterpoint/idempotency/jdbc/hsqldb.sql";
    private static final String NOW = "CURRENT_TIMESTAMP";
    private static final String WHERE_KEY = " WHERE " + RecordRow.THIS_KEY;

    private final RecordTable table;
    private final String read;

    /**
     * The dialect.
     *
     * @param table the table of its statements
     */
    public HsqldbDialect(RecordTable table) {
        this.table = table;
        read = "SELECT " + columnsAt(NOW) + " FROM " + table + WHERE_KEY;
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new HsqldbDialect(other);
    }

    @Override
    public String schemaFile() {
        return SCHEMA;
    }

    @Override
    public String schema() {
        return table.script(HsqldbDialect.class.getResourceAsStream("/" + SCHEMA), SCHEMA, true);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        String schema = table.schema().isEmpty() ? connection.getSchema() : stored(table.schema());
        Set<String> exact = texts(
                connection,
                "SELECT LOWER(column_name) FROM information_schema.columns WHERE data_type = 'CHARACTER VARYING'"
                        + " AND collation_name = 'SQL_TEXT' AND table_schema = ? AND table_name = ?",
                schema,
                stored(table.name()));
        List<String> faults = new ArrayList<>();
        if (!property(connection, "hsqldb.tx").equals(Set.of("MVCC"))) {
            faults.add("its database locks whole tables: SET DATABASE TRANSACTION CONTROL MVCC");
        }
        if (!property(connection, "sql.pad_space").equals(Set.of("false"))) {
            faults.add("its database ignores spaces at the end of a key: SET DATABASE COLLATION SQL_TEXT NO PAD");
        }
        if (connection.getMetaData().getURL().matches("jdbc:hsqldb:(hsql|http)s?:.*")) {
            faults.add("its database is in another process, where no wait can be bounded: open it in this one");
        }
        return TableFacts.ofMetaData(connection, schema, stored(table.name()), exact, faults);
    }

    private static String stored(String name) {
        return name.toUpperCase(Locale.ROOT);
    }

    private static Set<String> property(Connection connection, String name) throws SQLException {
        return texts(
                connection,
                "SELECT property_value FROM information_schema.system_properties WHERE property_name = ?",
                name);
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    /** An insert alone would wait for another's uncommitted mark. */
    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        String sql = """
                INSERT INTO %1$s (scope, operation, key_value, %2$s, created_at, updated_at, expires_at)
                SELECT ?, ?, ?, ?, ?, CAST(? AS uuid), ?, ?, ?, ?,
                    %3$s, %3$s, TIMESTAMPADD(SQL_TSI_FRAC_SECOND, CAST(? AS bigint), %3$s)
                FROM (VALUES (0)) WHERE NOT EXISTS (SELECT 1 FROM %1$s WHERE %4$s)
                """.formatted(table, COLUMNS, NOW, RecordRow.THIS_KEY);
        try {
            boolean inserted = updates(connection, sql, options.lockWait(), statement -> {
                int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
                statement.setLong(at, Math.multiplyExact(micros(options.retention()), 1000L));
                bindKey(statement, at + 1, record.key());
            });
            if (!inserted) {
                return InsertResult.EXISTS;
            }
        } catch (SQLException thrown) {
            if (HsqldbErrors.isDuplicate(thrown)) {
                return InsertResult.EXISTS;
            }
            throw thrown;
        }
        return options.autoCommit()
                ? InsertResult.COMMITTED
                : InsertResult.in(begun(connection, options.transaction()));
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(read)) {
            return ROW.first(statement, key);
        }
    }

    @Override
    public Optional<LockedRecord> lock(
            Connection connection, IdempotencyKey key, Duration wait, Optional<TransactionName> transaction)
            throws SQLException {
        String sql = "UPDATE " + table + " SET updated_at = updated_at" + WHERE_KEY;
        if (!updates(connection, sql, wait, statement -> bindKey(statement, 1, key))) {
            return Optional.empty();
        }
        TransactionName name = begun(connection, transaction);
        return read(connection, key).map(record -> new LockedRecord(record, name));
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
        String sql = change.sql(table, NOW)
                + (change == RecordChange.SUCCEED ? " AND COALESCE(TRANSACTION_ID() = ?, TRUE)" : "");
        return updates(connection, sql, LOCK_WAIT, statement -> ROW.bindChange(statement, change, key, token, values));
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        String sql = "UPDATE " + table + " SET updated_at = GREATEST(" + NOW
                + ", updated_at + INTERVAL '0.000001' SECOND(1, 6))" + WHERE_KEY + " AND token = ?";
        return updates(
                connection, sql, LOCK_WAIT, statement -> ROW.bindToken(statement, bindKey(statement, 1, key), token));
    }

    /** The next batch looks from the same time on: no statement of this engine returns what it deletes. */
    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        String sql = "DELETE FROM " + table + " WHERE state <> 'P' AND expires_at >= ? AND expires_at < " + NOW
                + " AND updated_at + (expires_at - created_at) DAY(9) TO SECOND(6) < " + NOW + " LIMIT ?";
        int count = updated(connection, sql, LOCK_WAIT, statement -> {
            statement.setObject(1, from);
            statement.setInt(2, batch);
        });
        return new PurgedBatch(count, count == 0 ? null : from);
    }

    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private static boolean updates(Connection connection, String sql, Duration wait, Binding binding)
            throws SQLException {
        return updated(connection, sql, wait, binding) == 1;
    }

    private static int updated(Connection connection, String sql, Duration wait, Binding binding) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(statement);
            return new Bound(statement, wait).updated();
        }
    }

    /**
     * The bound of a wait. A query timeout of HSQLDB ends where a wait begins, and there is no other. So a thread cancels the
     * statement, and only while its caller waits in the engine.
     */
    private static final class Bound {
        private static final int AGAIN_MILLIS = 5;
        private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "hsqldb-bound");
            thread.setDaemon(true);
            return thread;
        });

        static {
            TIMER.setRemoveOnCancelPolicy(true);
        }

        private final Thread caller = Thread.currentThread();
        private final PreparedStatement statement;
        private final Duration wait;
        private boolean over;
        private boolean cancelled;

        Bound(PreparedStatement statement, Duration wait) {
            this.statement = statement;
            this.wait = wait;
        }

        int updated() throws SQLException {
            Future<?> timer = TIMER.scheduleWithFixedDelay(
                    this::cancel, RecordRow.millis(wait), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            try {
                return statement.executeUpdate();
            } catch (SQLException thrown) {
                throw end() && HsqldbErrors.isCancelled(thrown) ? HsqldbErrors.boundReached(wait, thrown) : thrown;
            } finally {
                timer.cancel(false);
                if (end()) {
                    forget(statement.getConnection());
                }
            }
        }

        /** What cancelled too late would meet the next statement. One outside of transactions takes it. */
        private static void forget(Connection connection) throws SQLException {
            try {
                texts(connection, "VALUES (0)");
            } catch (SQLException kept) {
                Dialect.discard(connection);
            }
        }

        private synchronized boolean end() {
            over = true;
            return cancelled;
        }

        private synchronized void cancel() {
            if (!over && caller.getState() == Thread.State.WAITING) {
                try {
                    cancelled = true;
                    statement.cancel();
                } catch (SQLException closed) {
                    over = true;
                }
            }
        }
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    /** Every transaction has a number of its own. To ask for it without a table would return that of the last one. */
    private TransactionName transaction(Connection connection) throws SQLException {
        String sql = "SELECT TRANSACTION_ID(), COUNT(*) FROM " + table + " WHERE key_value = ''";
        return new TransactionName(texts(connection, sql).iterator().next());
    }

    /** By its first step, and never again in it. */
    private TransactionName begun(Connection connection, Optional<TransactionName> already) throws SQLException {
        return already.isPresent() ? already.get() : transaction(connection);
    }

    @Override
    public Optional<TransactionName> beginNamed(Connection connection) throws SQLException {
        return Optional.of(transaction(connection));
    }

    @Override
    public boolean isTransaction(Connection connection, TransactionName name) throws SQLException {
        return name.equals(transaction(connection));
    }

    /** The view of the sessions begins no transaction. */
    @Override
    public boolean hasBegun(Connection connection) throws SQLException {
        String sql = "SELECT transaction FROM information_schema.system_sessions WHERE session_id = SESSION_ID()";
        return !connection.getAutoCommit() && texts(connection, sql).contains("TRUE");
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        connection.setTransactionIsolation(level);
    }

    @Override
    public OptionalInt isolationToRestore(Connection connection) throws SQLException {
        return OptionalInt.of(connection.getTransactionIsolation());
    }

    /** An error either leaves the transaction as it was, or rolls it back: then the next one has another number. */
    @Override
    public void requireCommittable(Connection connection) {}

    /** The first column of all rows. */
    private static Set<String> texts(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            Set<String> texts = new HashSet<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            return texts;
        }
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    @Override
    public Fault classify(SQLException thrown) {
        return HsqldbErrors.classify(thrown, Dialect.super.classify(thrown));
    }
}
