package io.counterpoint.idempotency.trial;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.trial.FaultInjection.Call;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import javax.sql.DataSource;

/** Use cases that write a payment. Its table has no unique key, so that duplicates can show. */
final class Payments {

    static final String COUNT = "SELECT count(*) FROM payment WHERE reference = ?";

    private static final String INSERT = "INSERT INTO payment (reference, id) VALUES (?, ?)";

    private Payments() {}

    /** In which protocol the use case is executed. */
    enum Way {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED,
        RECORD_LAST
    }

    /** What the work does for a key; the identifier is its result. */
    interface Work {
        void pay(Connection connection, String key, String id) throws Exception;
    }

    static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        prepare(pool);
        return pool;
    }

    private static void prepare(DataSource source) {
        JdbcIdempotencyStore.on(source).createTableIfMissing();
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS payment (reference varchar(100), id varchar(100))");
            statement.execute("CREATE INDEX IF NOT EXISTS payment_reference ON payment (reference)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS booking (id varchar(100) PRIMARY KEY," + " key_id varchar(64) UNIQUE)");
        } catch (SQLException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    static void insert(Connection connection, String key, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, key);
            statement.setString(2, id);
            statement.executeUpdate();
        }
    }

    /** In a transaction of its own. */
    static Void insert(DataSource source, String key, String id) throws SQLException {
        try (Connection connection = source.getConnection()) {
            insert(connection, key, id);
        }
        return null;
    }

    static long count(DataSource source, String key) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setString(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    static long count(DataSource source) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM payment")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Makes all records older, and purges those that have expired. */
    static void age(DataSource source, Duration time) throws SQLException {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("UPDATE public.idempotency_record SET expires_at = expires_at - INTERVAL '"
                    + time.toHours() + "' HOUR");
        }
        Idempotency<Connection> idempotency = Idempotency.on(JdbcIdempotencyStore.on(source));
        while (idempotency.purgeExpired(1000) > 0) {
            // There may be more.
        }
    }

    static Call call(DataSource source, Way way, Work work) {
        Operation.Builder<Connection, String> builder = operation(source, way);
        if (way == Way.SINGLE_TRANSACTION_PLANNED) {
            PlannedOperation<Connection, String> planned = builder.planned().build();
            return key ->
                    planned.execute(attempt(key), Payments::newId, (connection, id) -> work.pay(connection, key, id));
        }
        Operation<Connection, String> operation = builder.build();
        return key -> operation.execute(attempt(key), connection -> {
            String id = newId();
            work.pay(connection, key, id);
            return id;
        });
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("pay");
    }

    private static String newId() {
        return UUID.randomUUID().toString();
    }

    private static Operation.Builder<Connection, String> operation(DataSource source, Way way) {
        Operation.Builder<Connection, String> builder = Idempotency.on(JdbcIdempotencyStore.builder(source)
                        .table("public.idempotency_record")
                        .build()
                        .checkTable())
                .operation("pay", ResultCodec.string())
                .settleWithin(Duration.ofMillis(200));
        return switch (way) {
            case CLAIM_FIRST -> builder.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofSeconds(1));
            case SINGLE_TRANSACTION, SINGLE_TRANSACTION_PLANNED ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
            case RECORD_LAST -> builder.protocol(Operation.Protocol.RECORD_LAST);
        };
    }
}
