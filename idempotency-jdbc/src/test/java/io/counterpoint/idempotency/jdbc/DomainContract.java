package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the work may do to the transaction it is given, and what callers may have open. The same for every database. */
@Timeout(60)
abstract class DomainContract {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    /** That of the tests' class, since no test changes tables. */
    private static @Nullable TestDatabase shared;

    TestDatabase database;

    abstract TestDatabase open();

    @BeforeEach
    void prepare() {
        database = shared == null ? open() : shared.emptied();
        shared = database;
    }

    @AfterAll
    static void close() {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    /** The protocols in which the work gets a handle, with and without a plan. */
    enum Shape {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED;

        Operation.Builder<Handle, String> on(TestDatabase database) {
            Operation.Builder<Handle, String> builder =
                    Idempotency.on(database.store()).operation("operate", ResultCodec.string());
            return name().startsWith("SINGLE") ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder;
        }

        boolean planned() {
            return name().endsWith("PLANNED");
        }

        <X extends Exception> Outcome<String> execute(TestDatabase database, Work<X> work) throws X {
            return planned()
                    ? on(database)
                            .planned()
                            .build()
                            .execute(ATTEMPT, () -> "result", (handle, plan) -> work.run(handle))
                    : on(database).build().execute(ATTEMPT, handle -> {
                        work.run(handle);
                        return "result";
                    });
        }
    }

    interface Work<X extends Exception> {
        void run(Handle handle) throws X;
    }

    @ParameterizedTest
    @EnumSource
    void workCommitsThroughTheLibraryOnly(Shape shape) throws SQLException {
        assertThat(shape.execute(database, handle -> TestDatabase.write(handle, "effect")))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(shape.execute(database, handle -> TestDatabase.write(handle, "effect")))
                .isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void commitRollbackAutocommitAndCloseAreRefusedAndChangeNothing(Shape shape) throws SQLException {
        List<Throwable> refusals = new ArrayList<>();
        Outcome<String> outcome = shape.execute(database, handle -> {
            TestDatabase.write(handle, "before");
            Connection connection = handle.getConnection();
            refusals.add(thrownBy(connection::commit));
            refusals.add(thrownBy(connection::rollback));
            refusals.add(thrownBy(() -> connection.setAutoCommit(true)));
            refusals.add(thrownBy(connection::close));
            refusals.add(thrownBy(() -> connection.abort(Runnable::run)));
            refusals.add(thrownBy(handle::commit));
            refusals.add(thrownBy(handle::rollback));
            TestDatabase.write(handle, "after");
        });
        assertThat(refusals)
                .hasSize(7)
                .allSatisfy(refusal -> assertThat(refusal).hasMessageContaining("transaction"));
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactlyInAnyOrder("before", "after");
    }

    /** Ways by which work could end its transaction through JDBC, without a word of SQL. */
    enum WayOut {
        ISOLATION_OF_THE_CONNECTION(handle -> {
            Connection connection = handle.getConnection();
            connection.setTransactionIsolation(otherThan(connection.getTransactionIsolation()));
        }),
        ISOLATION_OF_THE_HANDLE(handle -> handle.setTransactionIsolationLevel(
                otherThan(handle.getConnection().getTransactionIsolation()))),
        CONNECTION_OF_A_STATEMENT(handle -> {
            try (Statement statement = handle.getConnection().createStatement()) {
                statement.getConnection().commit();
            }
        }),
        CONNECTION_OF_A_PREPARED_STATEMENT(handle -> {
            try (Statement statement = handle.getConnection().prepareStatement("SELECT 1")) {
                statement.getConnection().commit();
            }
        }),
        CONNECTION_OF_A_CALL(handle -> {
            try (Statement statement = handle.getConnection().prepareCall("SELECT 1")) {
                statement.getConnection().commit();
            }
        }),
        CONNECTION_OF_A_RESULT(handle -> {
            try (Statement statement = handle.getConnection().createStatement();
                    ResultSet result = statement.executeQuery("SELECT 1")) {
                result.getStatement().getConnection().commit();
            }
        }),
        CONNECTION_OF_AN_ARRAY(handle -> {
            Array array = handle.getConnection().createArrayOf("INTEGER", new Object[] {1});
            try (ResultSet elements = array.getResultSet()) {
                elements.getStatement().getConnection().commit();
            }
        }),
        CONNECTION_OF_THE_META_DATA(
                handle -> handle.getConnection().getMetaData().getConnection().commit()),
        CONNECTION_OF_A_RESULT_OF_THE_META_DATA(handle -> {
            try (ResultSet types = handle.getConnection().getMetaData().getTableTypes()) {
                types.getStatement().getConnection().commit();
            }
        }),
        CONNECTION_THAT_IS_UNWRAPPED(
                handle -> handle.getConnection().unwrap(Connection.class).commit());

        @SuppressWarnings("ImmutableEnumChecker") // It has no state.
        private final Work<Exception> taken;

        WayOut(Work<Exception> taken) {
            this.taken = taken;
        }

        private static int otherThan(int level) {
            return level == Connection.TRANSACTION_SERIALIZABLE
                    ? Connection.TRANSACTION_READ_COMMITTED
                    : Connection.TRANSACTION_SERIALIZABLE;
        }
    }

    static Stream<Arguments> waysOut() {
        return Stream.of(Shape.values())
                .flatMap(shape -> Stream.of(WayOut.values()).map(way -> Arguments.of(shape, way)));
    }

    @ParameterizedTest
    @MethodSource("waysOut")
    void wayOutOfTheTransactionIsRefusedAndHalfAnEffectIsNone(Shape shape, WayOut way) {
        AtomicReference<Exception> refused = new AtomicReference<>();
        IllegalArgumentException thrown = new IllegalArgumentException("the work's own");
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "half");
                    try {
                        way.taken.run(handle);
                    } catch (Exception refusal) {
                        refused.set(refusal);
                    }
                    throw thrown;
                }))
                .isSameAs(thrown);
        assertThat(database.effects()).isEmpty();
        assertThat(refused.get()).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("waysOut")
    void workThatLetsARefusalPassHasFailedWithoutAnEffect(Shape shape, WayOut way) throws Exception {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "half");
                    way.taken.run(handle);
                    throw new IllegalStateException("not refused");
                }))
                .isNotInstanceOf(IllegalStateException.class);
        assertThat(database.effects()).isEmpty();
        assertThat(shape.<Exception>execute(database, handle -> TestDatabase.write(handle, "again")))
                .isInstanceOf(Outcome.Rejected.class);
        assertThat(database.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void workThatClosesItsHandleIsRolledBackAndFails(Shape shape) {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.close();
                }))
                .hasRootCauseInstanceOf(SQLException.class)
                .rootCause()
                .hasMessageContaining("Refused to close");
        assertThat(database.effects()).isEmpty();
        assertThat(database.pool().getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void nestedTransactionOnTheHandleJoins(Shape shape) throws SQLException {
        assertThat(shape.execute(
                        database, handle -> handle.useTransaction(inner -> TestDatabase.write(inner, "joined"))))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("joined");
    }

    @ParameterizedTest
    @EnumSource
    void failureAfterNestedTransactionRollsItBackToo(Shape shape) {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    handle.useTransaction(inner -> TestDatabase.write(inner, "joined"));
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(database.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void savepointLetsTheWorkSurviveAnSqlError(Shape shape) throws SQLException {
        Outcome<String> outcome = shape.execute(database, handle -> {
            handle.savepoint("try");
            assertThat(thrownBy(() -> handle.execute("INSERT INTO effect (id) VALUES (NULL)")))
                    .isNotNull();
            handle.rollbackToSavepoint("try");
            TestDatabase.write(handle, "effect");
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void afterCommitCallbacksOfTheHandleRun(Shape shape) throws SQLException {
        List<String> called = new ArrayList<>();
        assertThat(shape.execute(database, handle -> handle.afterCommit(() -> called.add("committed"))))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(called).containsExactly("committed");
    }

    @ParameterizedTest
    @EnumSource
    void poolWithoutAutocommitKeepsTheClaim(Shape shape) throws SQLException {
        try (TestDatabase manual = database.with(config -> config.setAutoCommit(false))) {
            assertThat(shape.execute(manual, handle -> TestDatabase.write(handle, "effect")))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(shape.execute(manual, handle -> TestDatabase.write(handle, "effect")))
                    .isInstanceOf(Outcome.Replayed.class);
            manual.jdbi()
                    .useHandle(handle ->
                            assertThat(handle.getConnection().getAutoCommit()).isFalse());
        }
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED"})
    void poolWithoutAutocommitCommitsTheClaimBeforeTheWork(Shape shape) throws SQLException {
        try (TestDatabase manual = database.with(config -> config.setAutoCommit(false))) {
            assertThat(shape.execute(
                            manual,
                            handle -> assertThat(database.one("SELECT count(*) FROM idempotency_record", Integer.class))
                                    .isEqualTo(1)))
                    .isInstanceOf(Outcome.Executed.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void poolWithoutAutocommitKeepsTheFailure(Shape shape) throws SQLException {
        try (TestDatabase manual = database.with(config -> config.setAutoCommit(false))) {
            assertThatThrownBy(() -> shape.execute(manual, handle -> {
                        throw new IllegalArgumentException("refused");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(shape.execute(database, handle -> {})).isInstanceOf(Outcome.Rejected.class);
    }

    @ParameterizedTest
    @EnumSource
    void poolOfOneConnectionIsEnough(Shape shape) throws SQLException {
        try (TestDatabase narrow = database.with(config -> {
            config.setMaximumPoolSize(1);
            config.setConnectionTimeout(1_000);
        })) {
            assertThatThrownBy(() -> shape.execute(narrow, handle -> {
                        throw new IllegalArgumentException("refused");
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(shape.execute(narrow, handle -> TestDatabase.write(handle, "effect")))
                    .isInstanceOf(Outcome.Rejected.class);
        }
        assertThat(database.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void callInsideAnOpenJdbiTransactionIsRefused(Shape shape) {
        database.jdbi().useTransaction(ambient -> {
            assertThatThrownBy(() -> shape.execute(database, handle -> TestDatabase.write(handle, "effect")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("open Jdbi handle or transaction");
            TestDatabase.write(ambient, "ambient");
        });
        assertThat(database.effects()).containsExactly("ambient");
    }

    @Test
    void purgeAndCreateInsideAnOpenJdbiTransactionAreRefused() {
        database.jdbi().useTransaction(ambient -> {
            assertThatThrownBy(() -> database.store().purgeExpired(1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> database.store().createTableIfMissing()).isInstanceOf(IllegalStateException.class);
        });
    }

    @ParameterizedTest
    @EnumSource
    void callInsideACallIsRefused(Shape shape) {
        assertThatThrownBy(() -> shape.execute(
                        database,
                        outer ->
                                assertThat(shape.execute(database, inner -> {})).isNotNull()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside the call of");
        assertThat(database.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void interruptReachesTheWorkAndNotTheStore(Shape shape) throws SQLException {
        AtomicReference<Boolean> seen = new AtomicReference<>();
        Thread.currentThread().interrupt();
        Outcome<String> outcome = shape.execute(database, handle -> {
            seen.set(Thread.currentThread().isInterrupted());
            Thread.interrupted();
            TestDatabase.write(handle, "effect");
            Thread.currentThread().interrupt();
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(seen).hasValue(true);
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void leakedHandleCannotWriteAfterTheTransaction(Shape shape) throws SQLException {
        AtomicReference<Handle> leaked = new AtomicReference<>();
        assertThat(shape.execute(database, leaked::set)).isInstanceOf(Outcome.Executed.class);
        assertThatThrownBy(() -> TestDatabase.write(leaked.get(), "late")).isInstanceOf(RuntimeException.class);
        assertThat(database.effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void everyConnectionIsGivenBackWhateverHappens(Shape shape) throws SQLException {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    throw new StackOverflowError("deep");
                }))
                .isInstanceOf(StackOverflowError.class);
        assertThat(shape.execute(database, handle -> {})).isInstanceOf(Outcome.Rejected.class);
        assertThat(database.pool().getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void jdbiOverOneGivenConnectionKeepsIt() throws SQLException {
        try (Connection only = database.pool().getConnection()) {
            JdbiIdempotencyStore store = database.dialect(Jdbi.create(only));
            Operation<Handle, Done> operation =
                    Idempotency.on(store).operation("single").build();
            assertThat(operation.execute(ATTEMPT, handle -> Done.DONE)).isInstanceOf(Outcome.Executed.class);
            assertThat(operation.execute(ATTEMPT, handle -> Done.DONE)).isInstanceOf(Outcome.Replayed.class);
            assertThat(only.isClosed()).isFalse();
        }
    }

    @Test
    void plainJdbcViewIsGuardedToo() throws SQLException {
        Operation<Connection, Done> operation = Idempotency.on(
                        database.plain(database.pool()).build())
                .operation("plain")
                .build();
        Outcome<Done> outcome = operation.execute(ATTEMPT, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO effect (id) VALUES ('effect')");
            }
            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
            return Done.DONE;
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("effect");
    }

    static Stream<Arguments> endsInSqlText() {
        return Stream.of(Shape.values())
                .flatMap(shape -> Stream.of("ROLLBACK", "COMMIT")
                        .flatMap(end -> Stream.of(true, false).map(isLast -> Arguments.of(shape, end, isLast))));
    }

    /**
     * What the work has committed stays, but nothing that it writes afterwards does. After an end by its last
     * statement, only the mark or the commit can show it.
     */
    @ParameterizedTest
    @MethodSource("endsInSqlText")
    void endInSqlTextIsNoticedAndNothingAfterItIsCommitted(Shape shape, String end, boolean isLast)
            throws SQLException {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "before");
                    handle.execute("--\n" + end);
                    if (!isLast) {
                        TestDatabase.write(handle, "after");
                    }
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("ended the transaction");
        assertThat(database.effects()).isEqualTo(end.equals("COMMIT") ? List.of("before") : List.of());
    }

    /** The record under the call's own token says that the work has committed, or that it has committed without a mark. */
    @ParameterizedTest
    @EnumSource(names = {"SINGLE_TRANSACTION", "SINGLE_TRANSACTION_PLANNED"})
    void commitBeforeAFailureIsUnknownAndNeverReplayed(Shape shape) {
        IllegalArgumentException refusal = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "committed");
                    handle.execute("--\nCOMMIT");
                    throw refusal;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("ended the transaction")
                .hasCause(refusal);
        assertThat(database.effects()).containsExactly("committed");
    }

    static Throwable thrownBy(Step step) {
        try {
            step.run();
        } catch (Throwable thrown) {
            assertThat(thrown).isInstanceOfAny(SQLException.class, TransactionException.class, RuntimeException.class);
            return thrown;
        }
        throw new AssertionError("This should have been refused.");
    }

    interface Step {
        void run() throws Exception;
    }
}
