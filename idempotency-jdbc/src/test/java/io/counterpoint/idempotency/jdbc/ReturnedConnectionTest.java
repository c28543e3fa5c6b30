package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What a connection is like when its owner has it back, from a data source that puts nothing in order itself. */
@Tag("thorough")
@Timeout(60)
class ReturnedConnectionTest {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private TestDatabase database = TestDatabase.h2();

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void connectionHasTheModeItCameIn(boolean postgresql, boolean autoCommit) throws SQLException {
        if (postgresql) {
            database.close();
            database = TestDatabase.postgresql();
        }
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(autoCommit);
            JdbiIdempotencyStore store = storeOn(connection);
            List<Boolean> modes = new ArrayList<>();
            Pending record = FaultySessions.pending();
            try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                session.claimAndLock(record, Duration.ofDays(1), WAIT, Durability.DURABLE);
            }
            modes.add(connection.getAutoCommit());
            try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                assertThat(session.<Boolean>inTransaction(
                                (steps, scope) -> steps.lock(record.key(), WAIT).isPresent()))
                        .isTrue();
            }
            modes.add(connection.getAutoCommit());
            try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                assertThat(session.<Boolean>autoCommit(steps -> steps.release(record.key(), record.token())))
                        .isTrue();
            }
            modes.add(connection.getAutoCommit());
            assertThat(modes).containsOnly(autoCommit);
            assertThat(database.store().read(record.key())).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void inspectionOfTheTableLeavesNoTransactionOpen(boolean postgresql, boolean isFit) throws SQLException {
        if (postgresql) {
            database.close();
            database = TestDatabase.postgresql();
        }
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            DataSource source = source(connection);
            JdbcIdempotencyStore inspected = JdbcIdempotencyStore.builder(source)
                    .table(isFit ? "idempotency_record" : "effect")
                    .build();
            assertThat(TableInspection.of(inspected).faults().isEmpty()).isEqualTo(isFit);
            Operation<Connection, String> operation = Idempotency.on(JdbcIdempotencyStore.on(source))
                    .operation("operation", ResultCodec.string())
                    .build();
            assertThat(operation.execute(ATTEMPT, unused -> "result")).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    void workAndOwnerHaveTheirOwnLockTimeoutOnH2() throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            setLockTimeout(connection, 4321);
            Operation<Handle, String> operation = Idempotency.on(storeOn(connection))
                    .operation("operation", ResultCodec.string())
                    .build();
            assertThat(operation
                            .execute(ATTEMPT, handle -> Integer.toString(lockTimeout(handle.getConnection())))
                            .orElseThrow())
                    .isEqualTo("4321");
            assertThat(lockTimeout(connection)).isEqualTo(4321);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusedLockGivesTheLockTimeoutBackOnH2(boolean lock) throws SQLException {
        Pending record = FaultySessions.pending();
        try (Connection connection = database.pool().getConnection();
                Session<Handle> holder = database.store().open(TestDatabase.KEY)) {
            setLockTimeout(connection, 4321);
            holder.claimAndLock(record, Duration.ofDays(1), WAIT, Durability.DURABLE);
            JdbiIdempotencyStore store = storeOn(connection);
            boolean refused = holder.inTransaction((steps, unused) -> {
                assertThat(steps.lock(record.key(), WAIT)).isPresent();
                try (Session<Handle> session = store.open(TestDatabase.KEY)) {
                    assertThatThrownBy(() -> session.inTransaction((other, scope) -> lock
                                    ? other.lock(record.key(), Duration.ofMillis(1))
                                    : other.release(record.key(), record.token())))
                            .satisfies(
                                    thrown -> assertThat(store.classify(thrown)).isEqualTo(Fault.LOCK_TIMEOUT));
                    return true;
                }
            });
            assertThat(refused).isTrue();
            assertThat(lockTimeout(connection)).isEqualTo(4321);
        }
    }

    private static void setLockTimeout(Connection connection, int millis) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCK_TIMEOUT " + millis);
        }
    }

    private static int lockTimeout(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT LOCK_TIMEOUT()")) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    private static JdbiIdempotencyStore storeOn(Connection connection) {
        return JdbiIdempotencyStore.on(source(connection));
    }

    private static DataSource source(Connection connection) {
        Connection kept = (Connection) Proxy.newProxyInstance(
                ReturnedConnectionTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getTargetException();
                    }
                });
        return new PGSimpleDataSource() {
            @Override
            public Connection getConnection() {
                return kept;
            }
        };
    }
}
