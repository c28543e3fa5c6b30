package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The statements of each protocol as a good engineer would write them for a single use case, without any abstraction.
 * This is the lower limit for a library's cost. It fills the same columns, but handles no failures.
 */
final class HandWrittenSql {

    /**
     * A separate table. The library creates it from the file that its users copy, so both have the same columns and
     * keys.
     */
    static final String TABLE = "hand_written_record";

    private static final String INSERT = "INSERT INTO " + TABLE + " (key_value, scope, operation, protocol, state,"
            + " token, fingerprint, payload, created_at, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,";
    private static final String ON_POSTGRESQL = INSERT + " clock_timestamp(), clock_timestamp(),"
            + " clock_timestamp() + ? * interval '1 microsecond') ON CONFLICT DO NOTHING";
    private static final String ON_MARIADB =
            INSERT + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)," + " UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)";
    private static final String ASYNCHRONOUSLY = " RETURNING set_config('synchronous_commit', 'off', true)";
    private static final String LOCK = "SELECT state FROM " + TABLE
            + " WHERE key_value = ? AND scope = ? AND operation = ? AND state = 'P' AND token = ? FOR UPDATE";
    private static final String SUCCEED = "UPDATE " + TABLE
            + " SET state = 'S', payload = coalesce(?, payload), updated_at = clock_timestamp()"
            + " WHERE key_value = ? AND scope = ? AND operation = ? AND state = 'P' AND token = ?";
    private static final String SELECT = "SELECT protocol, state, token, fingerprint, payload, failure_code,"
            + " failure_message FROM %s WHERE key_value = ? AND scope = ? AND operation = ?";
    private static final long RETENTION_MICROS = Duration.ofDays(1).toNanos() / 1000;

    private final DataSource pool;
    private final String insert;
    private final Function<UUID, Object> tokens;

    HandWrittenSql(DataSource pool) {
        this(pool, ON_POSTGRESQL, token -> token);
    }

    private HandWrittenSql(DataSource pool, String insert, Function<UUID, Object> tokens) {
        this.pool = pool;
        this.insert = insert;
        this.tokens = tokens;
    }

    /** Supports only a single transaction and a SELECT. */
    static HandWrittenSql onMariaDb(DataSource pool) {
        return new HandWrittenSql(
                pool,
                ON_MARIADB,
                token -> ByteBuffer.allocate(16)
                        .putLong(token.getMostSignificantBits())
                        .putLong(token.getLeastSignificantBits())
                        .array());
    }

    /** The base of all comparisons: the domain's transaction, without the key. */
    Action unprotected() {
        return key -> inTransaction(connection -> Domain.createGroup(connection, Domain.newGroupId()));
    }

    Action singleTransactionPlanned(String operation) {
        return key -> {
            UUID id = Domain.newGroupId();
            return inTransaction(connection -> {
                insert(connection, insert, operation, key, 'S', 'S', UUID.randomUUID(), bytes(id));
                Domain.createGroup(connection, id);
            });
        };
    }

    Action singleTransaction(String operation) {
        return key -> {
            UUID token = UUID.randomUUID();
            return inTransaction(connection -> {
                insert(connection, insert, operation, key, 'S', 'P', token, null);
                UUID id = Domain.newGroupId();
                Domain.createGroup(connection, id);
                succeed(connection, operation, key, token, bytes(id));
            });
        };
    }

    Action claimFirst(String operation, boolean planned) {
        return key -> {
            UUID token = UUID.randomUUID();
            UUID id = Domain.newGroupId();
            try (Connection connection = pool.getConnection()) {
                insert(
                        connection,
                        insert + ASYNCHRONOUSLY,
                        operation,
                        key,
                        'C',
                        'P',
                        token,
                        planned ? bytes(id) : null);
                return inTransaction(connection, () -> {
                    lock(connection, operation, key, token);
                    Domain.createGroup(connection, id);
                    succeed(connection, operation, key, token, planned ? null : bytes(id));
                });
            }
        };
    }

    /**
     * Reads one record by its primary key, which is the minimum that a replay needs. A key may begin with its scope and
     * a slash.
     */
    Action select(String table, String operation) {
        String select = SELECT.formatted(table);
        return key -> {
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement(select)) {
                int end = key.indexOf('/');
                int scopeAt = bindKey(statement, 1, operation, key.substring(end + 1)) - 2;
                if (end >= 0) {
                    statement.setString(scopeAt, key.substring(0, end));
                }
                try (ResultSet rows = statement.executeQuery()) {
                    boolean whole = rows.next()
                            && rows.getString(1) != null
                            && rows.getString(2).equals("S")
                            && rows.getObject(3) != null
                            && rows.getBytes(4) != null
                            && result(rows.getBytes(5)) != null
                            && rows.getString(6) == null
                            && rows.getString(7) == null;
                    require(whole, "a prepared key has no record of a success");
                    return Answer.REPLAYED;
                }
            }
        };
    }

    private Answer inTransaction(Statements statements) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return inTransaction(connection, () -> statements.run(connection));
        }
    }

    private static Answer inTransaction(Connection connection, Body body) throws SQLException {
        connection.setAutoCommit(false);
        try {
            body.run();
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
        return Answer.EXECUTED;
    }

    private void insert(
            Connection connection,
            String sql,
            String operation,
            String key,
            char protocol,
            char state,
            UUID token,
            byte @Nullable [] payload)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int at = bindKey(statement, 1, operation, key);
            statement.setString(at, String.valueOf(protocol));
            statement.setString(at + 1, String.valueOf(state));
            statement.setObject(at + 2, tokens.apply(token));
            statement.setBytes(at + 3, fingerprint());
            statement.setBytes(at + 4, payload);
            statement.setLong(at + 5, RETENTION_MICROS);
            boolean inserted = statement.execute() ? statement.getResultSet().next() : statement.getUpdateCount() == 1;
            require(inserted, "the key has a record already");
        }
    }

    private static void lock(Connection connection, String operation, String key, UUID token) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
            statement.setObject(bindKey(statement, 1, operation, key), token);
            try (ResultSet rows = statement.executeQuery()) {
                require(rows.next(), "another leader has the key");
            }
        }
    }

    private static void succeed(
            Connection connection, String operation, String key, UUID token, byte @Nullable [] result)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SUCCEED)) {
            statement.setBytes(1, result);
            statement.setObject(bindKey(statement, 2, operation, key), token);
            require(statement.executeUpdate() == 1, "another leader has the key");
        }
    }

    private static int bindKey(PreparedStatement statement, int at, String operation, String key) throws SQLException {
        statement.setString(at, key);
        statement.setString(at + 1, LibraryVariant.SCOPE);
        statement.setString(at + 2, operation);
        return at + 3;
    }

    static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new IllegalStateException(otherwise);
        }
    }

    static byte[] fingerprint() {
        return sha256(Domain.GROUP_NAME);
    }

    static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static byte[] bytes(UUID id) {
        return id.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static UUID result(byte[] payload) {
        return UUID.fromString(new String(payload, StandardCharsets.UTF_8));
    }

    private interface Statements {
        void run(Connection connection) throws SQLException;
    }

    private interface Body {
        void run() throws SQLException;
    }
}
