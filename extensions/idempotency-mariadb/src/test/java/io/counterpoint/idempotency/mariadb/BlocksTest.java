package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.spi.Fault;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several steps in one round trip: what must not come of it. */
@Tag("thorough")
@Timeout(60)
@Tag("mariadb")
class BlocksTest {

    private static final int KILLED = 1317;

    private TestPool database;
    private Jdbi direct;

    @BeforeEach
    void open() {
        database = TestPool.with("");
        database.pool().setMaximumPoolSize(2);
        direct = Jdbi.create(database.pool());
        direct.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
    }

    @AfterEach
    void close() {
        if (database != null) {
            database.close();
        }
    }

    /** The COMMIT has turned autocommit on by then. */
    @ParameterizedTest
    @EnumSource(Operation.Protocol.class)
    void callbackAfterTheCommitWritesNothing(Operation.Protocol protocol) {
        for (int call = 0; call < 2; call++) {
            Outcome<String> outcome = operation(protocol).execute(attempt("key-" + call), handle -> {
                handle.afterCommit(() -> handle.execute("INSERT INTO effect VALUES ('callback')"));
                handle.execute("INSERT INTO effect VALUES ('work')");
                return "result";
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        }
        assertThat(effects()).containsExactly("work", "work");
    }

    /** What it has unwrapped asks no gate, so the COMMIT leaves autocommit off. */
    @Test
    void callbackThatUsesTheDriversOwnConnectionWritesNothing() throws SQLException {
        Outcome<String> outcome = operation(Operation.Protocol.CLAIM_FIRST).execute(attempt("key"), handle -> {
            Connection own = handle.getConnection().unwrap(org.mariadb.jdbc.Connection.class);
            handle.afterCommit(() -> {
                try {
                    LockBound.execute(own, "INSERT INTO effect VALUES ('callback')");
                } catch (SQLException thrown) {
                    throw new IllegalStateException(thrown);
                }
            });
            handle.execute("INSERT INTO effect VALUES ('work')");
            return "result";
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).containsExactly("work");
    }

    /** As the check of the table accepts it. */
    @ParameterizedTest
    @ValueSource(
            strings = {"ORACLE", "ANSI", "NO_BACKSLASH_ESCAPES", "EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT"})
    void blocksAreReadInEveryMode(String mode) {
        Operation<Handle, String> unused = operation(Operation.Protocol.CLAIM_FIRST);
        JdbiIdempotencyStore inMode = JdbiIdempotencyStore.builder(
                        Jdbi.create(database.url() + "&sessionVariables=sql_mode='STRICT_TRANS_TABLES," + mode + "'"))
                .dialect(MariaDbDialect.mariaDb())
                .table(database.table())
                .build()
                .checkTable();
        for (Operation.Protocol protocol : Operation.Protocol.values()) {
            Operation<Handle, String> operation = operation(inMode, protocol);
            assertThat(operation.execute(attempt(protocol.name()), handle -> "result"))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(operation.execute(attempt(protocol.name()), handle -> "again"))
                    .isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    void connectionGoesBackInItsMode() throws SQLException {
        database.pool().setMaximumPoolSize(1);
        for (Operation.Protocol protocol : Operation.Protocol.values()) {
            for (String key : List.of("done", "failed", "done")) {
                try {
                    Outcome<String> unused = operation(protocol).execute(attempt(protocol + key), handle -> {
                        if (key.equals("failed")) {
                            throw new IllegalArgumentException("refused");
                        }
                        return "result";
                    });
                } catch (IllegalArgumentException refused) {
                    // As it has to be.
                }
                try (Connection connection = database.pool().getConnection()) {
                    assertThat(connection.getAutoCommit()).isTrue();
                    assertThat(LockBound.single(connection, "SELECT CONCAT(@@autocommit + 0, @@in_transaction)"))
                            .isEqualTo("10");
                }
            }
        }
    }

    /** An error does not say that the block had turned autocommit off before it. */
    @Test
    void firstBlockThatFailsLeavesTheConnectionInItsMode() throws SQLException {
        Operation<Handle, String> operation = operation(Operation.Protocol.SINGLE_TRANSACTION);
        try (Connection rival = database.pool().getConnection()) {
            rival.setAutoCommit(false);
            LockBound.execute(
                    rival,
                    "INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,"
                            + " created_at, updated_at, expires_at) VALUES ('user:1', 'operation', 'key', 'S', 'P',"
                            + " REPEAT('t', 16), REPEAT('f', 32), NOW(), NOW(), NOW())");
            Throwable unused = catchThrowable(() -> operation.execute(attempt("key"), handle -> "result"));
            try (Connection connection = database.pool().getConnection()) {
                assertThat(LockBound.single(connection, "SELECT @@autocommit")).isEqualTo("1");
            }
            rival.rollback();
        }
    }

    /** A kill may arrive between the COMMIT and the end of the block. */
    @Test
    void killedCommitIsInDoubtAndItsConnectionIsEnded() throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            MariaDbDialect dialect = MariaDbDialect.mariaDb();
            CombinedStatements statements = dialect.combined(connection).orElseThrow();
            LockBound.execute(connection, "SET autocommit = 0");
            LockBound.execute(connection, "INSERT INTO effect VALUES ('work')");
            LockBound.execute(connection, StartSavepoint.SET);

            SQLException thrown = catchThrowableOfType(
                    SQLException.class, () -> statements.checkAndCommit(killed(connection), StartSavepoint.NAME));

            assertThat(dialect.classify(thrown)).isEqualTo(Fault.CONNECTION_LOST);
            assertThat(connection.isClosed()).isTrue();
        }
        assertThat(effects()).containsExactly("work");
    }

    /** A connection whose prepared statements are answered by an error after the server has executed them. */
    private static Connection killed(Connection connection) {
        return proxy(Connection.class, connection, (method, answer) -> {
            return method.equals("prepareStatement")
                    ? proxy(PreparedStatement.class, (PreparedStatement) answer, (called, done) -> {
                        if (called.equals("execute")) {
                            throw new SQLException("Query execution was interrupted", "70100", KILLED);
                        }
                        return done;
                    })
                    : answer;
        });
    }

    private interface Answering {
        Object answer(String method, Object answer) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T delegate, Answering answering) {
        return type.cast(Proxy.newProxyInstance(
                BlocksTest.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> answering.answer(method.getName(), method.invoke(delegate, arguments))));
    }

    private Operation<Handle, String> operation(Operation.Protocol protocol) {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(database.pool())
                .dialect(MariaDbDialect.mariaDb())
                .table(database.table())
                .build()
                .createTableIfMissing()
                .checkTable();
        return operation(store, protocol);
    }

    private static Operation<Handle, String> operation(JdbiIdempotencyStore store, Operation.Protocol protocol) {
        return Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private List<String> effects() {
        return direct.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }
}
