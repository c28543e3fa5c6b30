package io.counterpoint.idempotency.jdbc.testkit;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.COLUMNS;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.WIDTH;
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
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dialect as a user writes one: PostgreSQL by ordinary SQL, one statement after the other. It stores tokens as text, as a
 * database without UUIDs has to, and uses nothing but what is published.
 */
final class PlainDialect implements Dialect {

    private static final RecordRow ROW = new TextRow();
    private static final String THIS_KEY = "scope = ? AND operation = ? AND key_value = ?";
    private static final String TRANSACTION = "pg_current_xact_id()::text";

    private final RecordTable table;

    PlainDialect(RecordTable table) {
        this.table = table;
    }

    /** Tokens as text, times without zones. */
    private static final class TextRow extends RecordRow {
        @Override
        public void bindToken(PreparedStatement statement, int at, UUID token) throws SQLException {
            statement.setString(at, token.toString());
        }

        @Override
        protected UUID token(ResultSet row, int at) throws SQLException {
            return UUID.fromString(row.getString(at));
        }

        @Override
        protected Duration between(ResultSet row, int at) throws SQLException {
            return Duration.between(
                    row.getTimestamp(at).toInstant(), row.getTimestamp(at + 1).toInstant());
        }
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Override
    public RecordTable table() {
        return table;
    }

    @Override
    public Dialect withTable(RecordTable other) {
        return new PlainDialect(other);
    }

    @Override
    public String schemaFile() {
        return "db/migration/V1__idempotency.sql";
    }

    @Override
    public String schema() {
        return """
                CREATE TABLE IF NOT EXISTS %s (
                    scope           varchar(255) COLLATE "C" NOT NULL,
                    operation       varchar(255) COLLATE "C" NOT NULL,
                    key_value       varchar(255) COLLATE "C" NOT NULL,
                    protocol        char(1)      NOT NULL,
                    state           char(1)      NOT NULL,
                    token           char(36)     NOT NULL,
                    fingerprint     bytea        NOT NULL,
                    payload         bytea,
                    failure_code    varchar(100),
                    failure_message varchar(1000),
                    created_at      timestamptz  NOT NULL,
                    updated_at      timestamptz  NOT NULL,
                    expires_at      timestamptz  NOT NULL,
                    PRIMARY KEY (key_value, scope, operation)
                );
                CREATE INDEX IF NOT EXISTS %s_expires_at ON %s (expires_at);
                """.formatted(table, table.name(), table);
    }

    @Override
    public Optional<TableFacts> facts(Connection connection) throws SQLException {
        Map<String, TableFacts.Column> columns = new LinkedHashMap<>();
        try (ResultSet rows = connection.getMetaData().getColumns(null, null, table.name(), null)) {
            while (rows.next()) {
                String name = rows.getString("COLUMN_NAME");
                String type = rows.getString("TYPE_NAME");
                boolean nullable = "YES".equals(rows.getString("IS_NULLABLE"));
                columns.put(
                        name,
                        new TableFacts.Column(
                                name.equals("token") ? TableFacts.Kind.UUID : kind(type),
                                type,
                                rows.getLong("COLUMN_SIZE"),
                                nullable,
                                nullable || rows.getString("COLUMN_DEF") != null,
                                true));
            }
        }
        List<String> key = new ArrayList<>();
        try (ResultSet rows = connection.getMetaData().getPrimaryKeys(null, null, table.name())) {
            while (rows.next()) {
                key.add(rows.getString("COLUMN_NAME"));
            }
        }
        return columns.isEmpty()
                ? Optional.empty()
                : Optional.of(new TableFacts(columns, key, List.of(), List.of(), connection.getSchema()));
    }

    private static TableFacts.Kind kind(String type) {
        return switch (type) {
            case "varchar", "bpchar" -> TableFacts.Kind.TEXT;
            case "bytea" -> TableFacts.Kind.BYTES;
            case "timestamptz" -> TableFacts.Kind.TIME;
            default -> TableFacts.Kind.OTHER;
        };
    }

    // ---- steps ---------------------------------------------------------------------------------------------------

    @Override
    public InsertResult insert(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        boolean inserted =
                bounded(connection, options.lockWait(), """
                INSERT INTO %s (scope, operation, key_value, %s, created_at, updated_at, expires_at)
                SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, clock_timestamp(), clock_timestamp(),
                    clock_timestamp() + ? * interval '1 microsecond'
                WHERE NOT EXISTS (SELECT FROM %s WHERE %s) ON CONFLICT DO NOTHING
                """.formatted(table, COLUMNS, table, THIS_KEY), statement -> {
                    int at = ROW.bindRecord(statement, bindKey(statement, 1, record.key()), record);
                    statement.setLong(at, micros(options.retention()));
                    bindKey(statement, at + 1, record.key());
                    return statement.executeUpdate() == 1;
                });
        if (!inserted) {
            return InsertResult.EXISTS;
        }
        return options.autoCommit()
                ? InsertResult.COMMITTED
                : InsertResult.in(single(connection, "SELECT " + TRANSACTION));
    }

    @Override
    public Optional<IdempotencyRecord> read(Connection connection, IdempotencyKey key) throws SQLException {
        return with(connection, select(), statement -> first(statement, key)).map(LockedRecord::record);
    }

    @Override
    public Optional<LockedRecord> lock(Connection connection, IdempotencyKey key, Duration wait) throws SQLException {
        String sql = select() + " FOR UPDATE";
        return wait.isZero()
                ? with(connection, sql + " NOWAIT", statement -> first(statement, key))
                : bounded(connection, wait, sql, statement -> first(statement, key));
    }

    private String select() {
        return "SELECT %s, %s FROM %s WHERE %s".formatted(columnsAt("clock_timestamp()"), TRANSACTION, table, THIS_KEY);
    }

    private static Optional<LockedRecord> first(PreparedStatement statement, IdempotencyKey key) throws SQLException {
        bindKey(statement, 1, key);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next()
                    ? Optional.of(new LockedRecord(ROW.recordIn(rows, 1, key), rows.getString(1 + WIDTH)))
                    : Optional.empty();
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
        String update = "UPDATE " + table + " SET updated_at = clock_timestamp(), ";
        String pending = " WHERE " + THIS_KEY + " AND state = 'P' AND token = ?";
        String sql = switch (change) {
            case SUCCEED ->
                update + "state = 'S', payload = coalesce(?, payload)" + pending + " AND coalesce(? = " + TRANSACTION
                        + ", true)";
            case FAIL -> update + "state = 'F', payload = NULL, failure_code = ?, failure_message = ?" + pending;
            case RELEASE -> "DELETE FROM " + table + pending;
            case REPLACE_TOKEN -> update + "token = ?" + pending;
        };
        return bounded(connection, LOCK_WAIT, sql, statement -> {
            ROW.bindChange(statement, change, key, token, values);
            return statement.executeUpdate() == 1;
        });
    }

    @Override
    public boolean confirm(Connection connection, IdempotencyKey key, UUID token, boolean autoCommit)
            throws SQLException {
        String sql = "UPDATE " + table + " SET updated_at = greatest(clock_timestamp(),"
                + " updated_at + interval '1 microsecond') WHERE " + THIS_KEY + " AND token = ?";
        return bounded(connection, LOCK_WAIT, sql, statement -> {
            ROW.bindToken(statement, bindKey(statement, 1, key), token);
            return statement.executeUpdate() == 1;
        });
    }

    @Override
    public PurgedBatch purge(Connection connection, OffsetDateTime from, int batch) throws SQLException {
        return with(connection, """
                WITH purged AS (DELETE FROM %1$s WHERE (scope, operation, key_value) IN (
                    SELECT scope, operation, key_value FROM %1$s
                    WHERE expires_at >= ? AND expires_at < statement_timestamp() AND state <> 'P'
                        AND updated_at + (expires_at - created_at) < statement_timestamp()
                    ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING expires_at)
                SELECT count(*), max(expires_at) FROM purged
                """.formatted(table), statement -> {
            statement.setObject(1, from);
            statement.setInt(2, batch);
            try (ResultSet purged = statement.executeQuery()) {
                purged.next();
                return new PurgedBatch(purged.getInt(1), purged.getObject(2, OffsetDateTime.class));
            }
        });
    }

    // ---- transactions --------------------------------------------------------------------------------------------

    @Override
    public boolean hasBegun(Connection connection) {
        return false;
    }

    @Override
    public void isolate(Connection connection, int level) throws SQLException {
        connection.setTransactionIsolation(level);
    }

    @Override
    public boolean isTransaction(Connection connection, String transaction) throws SQLException {
        return transaction.equals(single(connection, "SELECT " + TRANSACTION));
    }

    /** Fails if the transaction is aborted, which the driver would commit as if nothing had happened. */
    @Override
    public void requireCommittable(Connection connection) throws SQLException {
        single(connection, "SELECT ''");
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    @Override
    public Fault classify(SQLException thrown) {
        return switch (String.valueOf(thrown.getSQLState())) {
            case "40P01" -> Fault.CONFLICT;
            case "55P03" -> Fault.LOCK_TIMEOUT;
            case "57014" -> Fault.CANCELLED;
            case "57P01", "57P02", "57P03" -> Fault.CONNECTION_LOST;
            default -> Dialect.super.classify(thrown);
        };
    }

    // ---- statements ----------------------------------------------------------------------------------------------

    private interface Step<T> {
        T run(PreparedStatement statement) throws SQLException;
    }

    private static <T> T with(Connection connection, String sql, Step<T> step) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return step.run(statement);
        }
    }

    /** Under a lock timeout. What fails in a transaction ends it, and with it the timeout. */
    private static <T> T bounded(Connection connection, Duration wait, String sql, Step<T> step) throws SQLException {
        boolean local = !connection.getAutoCommit();
        String before = single(connection, "SELECT current_setting('lock_timeout')");
        setTimeout(connection, Long.toString(millis(wait)), local);
        boolean done = false;
        try {
            T result = with(connection, sql, step);
            done = true;
            return result;
        } finally {
            if (done || !local) {
                restoreTimeout(connection, before, local);
            }
        }
    }

    private static void restoreTimeout(Connection connection, String before, boolean local) throws SQLException {
        boolean restored = false;
        try {
            setTimeout(connection, before, local);
            restored = true;
        } finally {
            if (!restored) {
                Dialect.discard(connection);
            }
        }
    }

    private static void setTimeout(Connection connection, String timeout, boolean local) throws SQLException {
        single(connection, "SELECT set_config('lock_timeout', '" + timeout + "', " + local + ")");
    }

    private static String single(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
