package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.jdbc.PgConnection;

/** What work leaves behind on its connection that a rollback does not undo, in a pool of one connection. */
@Tag("thorough")
@Timeout(60)
class LeftByWorkTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key").withoutRequest();

    private TestDatabase database;
    private HikariDataSource pool;
    private CopyIn left;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(1);
        pool = new HikariDataSource(config);
    }

    @AfterEach
    void close() {
        pool.close();
        database.close();
    }

    private Operation<Handle, String> operation(Operation.Protocol protocol) {
        return Idempotency.on(JdbiIdempotencyStore.builder(pool)
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable())
                .operation("operation", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    /** What work does on the driver's own connection before it leaves a COPY open there. */
    enum Before {
        NOTHING,
        COMMIT,
        AUTOCOMMIT
    }

    static Stream<Arguments> copies() {
        return Stream.of(Operation.Protocol.values())
                .flatMap(protocol -> Stream.of(Before.values())
                        .flatMap(before -> Stream.of(
                                Arguments.of(protocol, before, false), Arguments.of(protocol, before, true))));
    }

    private void leaveACopyOpen(Handle handle, Before before) {
        try {
            PgConnection driver = handle.getConnection().unwrap(PgConnection.class);
            if (before == Before.COMMIT) {
                driver.commit();
            } else if (before == Before.AUTOCOMMIT) {
                driver.setAutoCommit(true);
            }
            left = driver.getCopyAPI().copyIn("COPY effect FROM STDIN");
            left.writeToCopy(new byte[] {'a', '\n'}, 0, 2);
        } catch (SQLException thrown) {
            throw new AssertionError(thrown);
        }
    }

    /** No statement can be sent any more that would tell the first way from the others. */
    @ParameterizedTest
    @MethodSource("copies")
    void openCopyLeavesTheOutcomeUnknownAndClosesTheConnection(
            Operation.Protocol protocol, Before before, boolean isThrowing) {
        Operation<Handle, String> operation = operation(protocol);
        RuntimeException own = new IllegalArgumentException("own");

        assertThatThrownBy(() -> operation.execute(ATTEMPT, handle -> {
                    TestDatabase.write(handle, "effect");
                    leaveACopyOpen(handle, before);
                    if (isThrowing) {
                        throw own;
                    }
                    return "done";
                }))
                .isInstanceOfSatisfying(IdempotencyException.class, unknown -> {
                    assertThat(unknown.reason()).isSameAs(Reason.ENDED_BY_WORK);
                    assertThat(unknown.getCause()).isSameAs(isThrowing ? own : null);
                });

        assertThat(database.effects()).hasSize(before == Before.NOTHING ? 0 : 1);
        assertThat(operation.execute(ATTEMPT, handle -> "again")).isInstanceOf(Outcome.InProgress.class);
    }

    @ParameterizedTest
    @EnumSource
    void copyThatACallbackLeavesOpenClosesTheConnection(Before before) {
        assertThat(operation(Operation.Protocol.CLAIM_FIRST).execute(ATTEMPT, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.afterCommit(() -> leaveACopyOpen(handle, before));
                    return "done";
                }))
                .isInstanceOf(Outcome.Executed.class);

        assertThat(left).isNotNull();
        assertThat(database.effects()).containsExactly("effect");
        assertThat(operation(Operation.Protocol.CLAIM_FIRST).execute(ATTEMPT, handle -> "again"))
                .isInstanceOf(Outcome.Replayed.class);
    }

    /** Work that ends or cancels its COPY is like any other. */
    @ParameterizedTest
    @CsvSource({"CLAIM_FIRST", "SINGLE_TRANSACTION", "RECORD_LAST"})
    void endedCopyIsCommittedAndItsConnectionKept(Operation.Protocol protocol) throws SQLException {
        int before = backend();

        assertThat(operation(protocol).execute(ATTEMPT, handle -> {
                    PGConnection driver = handle.getConnection().unwrap(PGConnection.class);
                    CopyIn ended = driver.getCopyAPI().copyIn("COPY effect FROM STDIN");
                    ended.writeToCopy(new byte[] {'a', '\n'}, 0, 2);
                    return String.valueOf(ended.endCopy());
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("a");
        assertThat(backend()).isEqualTo(before);
    }

    /** Otherwise a retry would find no record in the other schema's table, and run again. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET search_path = elsewhere",
                "set session search_path to elsewhere",
                "SET SCHEMA 'elsewhere'",
                "SET SESSION SCHEMA 'elsewhere'",
                "RESET search_path",
                "SET \"search_path\" = elsewhere",
                // A schema with the name of the role comes first in the default path.
                "SET ROLE pg_monitor",
                "SET SESSION AUTHORIZATION postgres",
                "RESET ROLE",
                "RESET SESSION AUTHORIZATION"
            })
    void workDoesNotChooseAnotherTableOfRecords(String statement) {
        PlannedOperation<Handle, String> operation = Idempotency.on(database.store())
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build();

        assertThatThrownBy(() -> operation.execute(ATTEMPT, () -> "plan", (handle, plan) -> {
                    TestDatabase.write(handle, "effect");
                    handle.execute(statement);
                }))
                .rootCause()
                .hasMessageContaining("another table of records");

        assertThat(database.effects()).isEmpty();
    }

    /** A function can do the same. */
    @Test
    void sessionWithAnotherSearchPathIsNotHandedOn() {
        PlannedOperation<Handle, String> operation = Idempotency.on(JdbiIdempotencyStore.on(pool))
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build();

        assertThat(operation.execute(ATTEMPT, () -> "plan", (handle, plan) -> {
                    TestDatabase.write(handle, "effect");
                    handle.execute("SELECT set_config('search_path', 'elsewhere', false)");
                }))
                .isInstanceOf(Outcome.Executed.class);

        assertThat(operation.execute(ATTEMPT, () -> "plan", (handle, plan) -> TestDatabase.write(handle, "second")))
                .isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects()).containsExactly("effect");
    }

    /** A path that ends with the transaction does not matter. */
    @Test
    void connectionIsKeptAfterASearchPathOfTheTransaction() throws SQLException {
        PlannedOperation<Handle, String> operation = Idempotency.on(JdbiIdempotencyStore.on(pool))
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build();
        int before = backend();

        assertThat(operation.execute(
                        ATTEMPT, () -> "plan", (handle, plan) -> handle.execute("SET LOCAL search_path = elsewhere")))
                .isInstanceOf(Outcome.Executed.class);

        assertThat(backend()).isEqualTo(before);
    }

    private int backend() throws SQLException {
        try (var next = pool.getConnection();
                var rows = next.createStatement().executeQuery("SELECT pg_backend_pid()")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CLAIM_FIRST, false", "CLAIM_FIRST, true",
        "SINGLE_TRANSACTION, false", "SINGLE_TRANSACTION, true",
        "RECORD_LAST, false", "RECORD_LAST, true"
    })
    void sessionOfWorkThatEndedItsTransactionIsNotHandedOn(Operation.Protocol protocol, boolean isThrowing)
            throws SQLException {
        Operation<Handle, String> operation = operation(protocol);

        assertThatThrownBy(() -> operation.execute(ATTEMPT, handle -> {
                    handle.execute("SET search_path = elsewhere");
                    handle.execute("--\nCOMMIT");
                    if (isThrowing) {
                        throw new IllegalArgumentException("own");
                    }
                    return "done";
                }))
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        unknown -> assertThat(unknown.reason()).isSameAs(Reason.ENDED_BY_WORK));

        try (var next = pool.getConnection();
                var rows = next.createStatement().executeQuery("SHOW search_path")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).doesNotContain("elsewhere");
        }
    }
}
