package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything that can go wrong where a transaction ends. */
class FailedCommitTest extends FaultySessions {

    private final List<String> heard = new ArrayList<>();

    private String write(RecordSteps steps, WorkScope<Handle> scope) {
        return write(scope.handle());
    }

    private String write(Handle handle) {
        handle.afterCommit(() -> heard.add("commit"));
        handle.afterRollback(() -> heard.add("rollback"));
        TestDatabase.write(handle, "effect");
        return "answer";
    }

    /** The body that marks its record with the commit. */
    private BiFunction<RecordSteps, WorkScope<Handle>, String> marking(Pending record) {
        return marking(record, record.token());
    }

    private BiFunction<RecordSteps, WorkScope<Handle>, String> marking(Pending record, UUID token) {
        return (steps, scope) -> {
            assertThat(steps.lock(record.key(), WAIT)).isPresent();
            write(scope.handle());
            commitWith(
                    steps, new LastStep.Succeed(record.key(), token, RESULT), new IllegalStateException("not changed"));
            return "answer";
        };
    }

    /** The body that claims its record first, and demands its transaction at the commit. */
    private BiFunction<RecordSteps, WorkScope<Handle>, String> checking(Pending record) {
        return (steps, scope) -> {
            assertThat(steps.claim(record, DAY, WAIT, Durability.DURABLE)).isEmpty();
            write(scope.handle());
            commitWith(
                    steps,
                    new LastStep.RequireNotEnded(record.key()),
                    new IllegalStateException("another transaction"));
            return "answer";
        };
    }

    // ---- before the commit ---------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void bodyThatSwallowsAFailedCommitIsNotTakenForCommitted(Kind kind) {
        Pending record = claimed(kind);
        on(kind).at("Connection.commit", before(new SQLException("injected", "40001")));
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        Throwable swallowed =
                                thrownBy(() -> steps.commitWith(new LastStep.RequireNotEnded(record.key())));
                        assertThat(swallowed).hasMessageStartingWith("Could not commit");
                        return "answer";
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The commit failed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void transactionHasOneLastStep(Kind kind) {
        Pending record = claimed(kind);
        on(kind);
        try (JdbcSession<Handle> session = session()) {
            session.inTransaction((steps, scope) -> {
                LastStep step = new LastStep.RequireNotEnded(record.key());
                assertThat(steps.commitWith(step)).isEqualTo(LastStep.Result.DONE);
                assertThatThrownBy(() -> steps.commitWith(step)).hasMessageContaining("already has its last step");
                return "answer";
            });
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedCommitIsRolledBackAndSaysWhatItProves(Kind kind) throws SQLException {
        FaultyDriver driver = on(kind).at("Connection.commit", before(new SQLException("injected", "40001")));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(this::write));
            assertThat(thrown).hasMessage("Could not commit: SQLSTATE 40001");
            assertThat(fault(thrown)).isEqualTo(Fault.CONFLICT);
            assertThat(heard).containsExactly("rollback");
            assertThat(driver.calls("Connection.rollback")).isOne();
        }
        assertThat(isEnded()).isFalse();
        assertThat(database(kind).effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void errorAtTheCommitEndsTheConnectionOfADriverThatTalks(Kind kind) throws SQLException {
        OutOfMemoryError thrown = new OutOfMemoryError("injected");
        on(kind).at("Connection.commit", before(thrown));
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction(this::write)).isSameAs(thrown);
            assertThat(heard).containsExactly("rollback");
        }
        assertThat(isEnded()).isEqualTo(kind == Kind.POSTGRESQL);
        assertThat(database(kind).effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void errorInTheBodyEndsTheConnectionOfADriverThatTalks(Kind kind) throws SQLException {
        OutOfMemoryError thrown = new OutOfMemoryError("injected");
        on(kind);
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        write(scope.handle());
                        throw thrown;
                    }))
                    .isSameAs(thrown);
        }
        assertThat(isEnded()).isEqualTo(kind == Kind.POSTGRESQL);
    }

    /** Its commit would be a rollback that nobody sees. */
    @Test
    void transactionThatTheDatabaseHasAbortedIsNotCommitted() {
        FaultyDriver driver = on(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction((steps, scope) -> {
                write(scope.handle());
                assertThatThrownBy(() -> scope.handle().execute("SELECT 1 / 0"))
                        .isInstanceOf(UnableToExecuteStatementException.class);
                return "swallowed";
            }));
            assertThat(thrown)
                    .hasMessageStartingWith("The transaction cannot be committed: ")
                    .hasMessageContaining("the work swallowed an SQL error");
            assertThat(fault(thrown)).isEqualTo(Fault.STATEMENT_REFUSED);
            assertThat(driver.calls("Connection.commit")).isZero();
            assertThat(session.commitMayBeSent()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void markThatChangesNothingIsRolledBack(Kind kind) {
        on(kind);
        Pending record = claimed(kind);
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction(marking(record, UUID.randomUUID())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("not changed");
            assertThat(heard).containsExactly("rollback");
        }
        assertThat(database(kind).effects()).isEmpty();
    }

    @Test
    void failedMarkWithItsCommitNamesItsKey() {
        on(Kind.POSTGRESQL).at("MERGE", before(refusal()));
        Pending record = claimed(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction(marking(record)))
                    .hasMessageStartingWith(record.key() + ": could not commit: ");
        }
    }

    // ---- the commit and what follows -----------------------------------------------------------------------------

    private Throwable warned(FaultyDriver driver, String at, BiFunction<RecordSteps, WorkScope<Handle>, String> body) {
        driver.at(at, driver.warning());
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(body));
            assertThat(thrown).hasMessageStartingWith("The database returned a warning for the commit");
            assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
            assertThat(heard).containsExactly("commit");
            return thrown;
        }
    }

    @ParameterizedTest
    @EnumSource
    void commitWithAWarningIsInDoubt(Kind kind) {
        assertThat(warned(on(kind), "Connection.commit", this::write)).hasRootCauseMessage("injected");
        assertThat(database(kind).effects()).containsExactly("effect");
    }

    @Test
    void markAndCommitWithAWarningAreInDoubt() {
        Pending record = claimed(Kind.POSTGRESQL);
        warned(on(Kind.POSTGRESQL), "MERGE", marking(record));
        assertThat(store().read(record.key())).contains(succeeded(record));
    }

    @Test
    void checkAndCommitWithAWarningAreInDoubt() {
        Pending record = pending();
        warned(on(Kind.POSTGRESQL), "; COMMIT", checking(record));
        assertThat(database(Kind.POSTGRESQL).effects()).containsExactly("effect");
    }

    /** PostgreSQL says that it has cut the name of a savepoint. */
    @Test
    void noticeOfTheWorkIsNotTakenForAWarningOfTheCommit() {
        on(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            String answer = session.inTransaction((steps, scope) -> {
                write(scope.handle());
                try {
                    Connection connection = scope.handle().getConnection();
                    connection.releaseSavepoint(connection.setSavepoint("long".repeat(50)));
                    assertThat((Throwable) connection.getWarnings()).isNotNull();
                } catch (SQLException impossible) {
                    throw new AssertionError(impossible);
                }
                return "answer";
            });
            assertThat(answer).isEqualTo("answer");
        }
        assertThat(database(Kind.POSTGRESQL).effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void failureAfterTheAnswerToTheCommitLeavesItInDoubt(Kind kind) {
        on(kind).at("Connection.getWarnings", before(new SQLException("injected", "40001")));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(this::write));
            assertThat(thrown).hasMessageStartingWith("The commit succeeded, and then the connection failed");
            assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
        }
        assertThat(database(kind).effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource
    void bodyThatSwallowsADoubtIsNotTakenForCommitted(Kind kind) {
        Pending record = claimed(kind);
        FaultyDriver driver = on(kind);
        driver.at("Connection.commit", driver.warning());
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        Throwable swallowed =
                                thrownBy(() -> steps.commitWith(new LastStep.RequireNotEnded(record.key())));
                        assertThat(fault(swallowed)).isEqualTo(Fault.CONNECTION_LOST);
                        return "answer";
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The commit failed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void exceptionAfterTheCommitRollsNothingBack(Kind kind) {
        Pending record = claimed(kind);
        FaultyDriver driver = on(kind);
        IllegalArgumentException thrown = new IllegalArgumentException("after the commit");
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        write(scope.handle());
                        commitWith(
                                steps,
                                new LastStep.RequireNotEnded(record.key()),
                                new IllegalStateException("not committed"));
                        throw thrown;
                    }))
                    .isSameAs(thrown);
            assertThat(driver.calls("Connection.rollback")).isZero();
        }
        assertThat(heard).containsExactly("commit");
        assertThat(database(kind).effects()).containsExactly("effect");
    }

    /** A pool would roll back, or warn, where it has seen statements and no commit. */
    @Test
    void poolIsToldOfTheCommitThatWasSentWithTheMark() {
        FaultyDriver driver = on(Kind.POSTGRESQL);
        Pending record = claimed(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            assertThat(session.<String>inTransaction(marking(record))).isEqualTo("answer");
        }
        assertThat(driver.calls("Connection.commit")).isOne();
        assertThat(driver.calls("Connection.getWarnings")).isZero();
    }

    @Test
    void failureToTellThePoolLeavesTheCommitInDoubt() {
        on(Kind.POSTGRESQL).at("Connection.commit", before(new SQLException("injected", "40001")));
        Pending record = claimed(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(marking(record)));
            assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
        }
        assertThat(store().read(record.key())).contains(succeeded(record));
    }

    @ParameterizedTest
    @EnumSource
    void callbackThatThrowsAfterTheCommitIsShownUntilTheNextCommit(Kind kind) {
        on(kind);
        IllegalArgumentException thrown = new IllegalArgumentException("callback");
        try (Session<Handle> session = session()) {
            assertThat(session.<String>inTransaction((steps, scope) -> {
                        scope.handle().afterCommit(() -> {
                            throw thrown;
                        });
                        return "answer";
                    }))
                    .isEqualTo("answer");
            assertThat(session.afterCommitFailure()).contains(thrown);
            assertThat(session.<String>inTransaction(this::write)).isEqualTo("answer");
            assertThat(session.afterCommitFailure()).isEmpty();
        }
    }

    // ---- the rollback --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void failedRollbackIsSuppressedAndEndsTheConnection(Kind kind) throws SQLException {
        SQLException failed = new SQLException("injected", "40001");
        on(kind).at("Connection.rollback", before(failed));
        IllegalArgumentException thrown = new IllegalArgumentException("body");
        try (Session<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        write(scope.handle());
                        throw thrown;
                    }))
                    .isSameAs(thrown)
                    .hasSuppressedException(failed);
        }
        assertThat(isEnded()).isTrue();
        assertThat(database(kind).effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void callbackThatThrowsAfterTheRollbackIsSuppressed(Kind kind) throws SQLException {
        on(kind);
        IllegalArgumentException thrown = new IllegalArgumentException("body");
        IllegalArgumentException callback = new IllegalArgumentException("callback");
        for (RuntimeException after : new RuntimeException[] {callback, thrown}) {
            try (Session<Handle> session = session()) {
                assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                            scope.handle().afterRollback(() -> {
                                throw after;
                            });
                            throw thrown;
                        }))
                        .isSameAs(thrown);
            }
        }
        assertThat(thrown.getSuppressed()).containsExactly(callback);
        assertThat(isEnded()).isFalse();
    }

    // ---- inside --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void bodyCannotOpenAnotherSessionOfItsDatabase(Kind kind) {
        on(kind);
        JdbiIdempotencyStore inner = store();
        try (Session<Handle> session = session()) {
            String answer = session.inTransaction((steps, scope) -> {
                assertThatThrownBy(() -> inner.open(TestDatabase.KEY))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("Called inside the work of an operation");
                return "answer";
            });
            assertThat(answer).isEqualTo("answer");
        }
        inner.open(TestDatabase.KEY).close();
    }

    // ---- steps with a transaction of their own -------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(CommittedStep.class)
    void stepThatWasCommittedWithAWarningIsInDoubt(CommittedStep step) {
        Pending record = claimed(Kind.POSTGRESQL);
        Pending fresh = pending();
        FaultyDriver driver = on(Kind.POSTGRESQL);
        driver.at("executeUpdate", driver.warning());
        Throwable thrown = thrownBy(() -> alone(store(), steps -> step.make(steps, record, fresh)));
        assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
        assertThat(thrown).hasCauseInstanceOf(CommitWarning.class);
    }

    @Test
    void warningOfAStepThatIsNotCommittedYetIsNone() {
        Pending record = claimed(Kind.POSTGRESQL);
        FaultyDriver driver = on(Kind.POSTGRESQL);
        Strike warning = driver.warning();
        driver.at("executeUpdate", warning, warning);
        try (Session<Handle> session = session()) {
            boolean both = thrownBy(() -> session.inTransaction((steps, scope) -> {
                        assertThat(steps.confirm(record.key(), record.token())).isTrue();
                        assertThat(steps.succeed(record.key(), record.token(), RESULT))
                                .isTrue();
                        throw new IllegalArgumentException("rolled back");
                    }))
                    instanceof IllegalArgumentException;
            assertThat(both).isTrue();
        }
    }

    enum CommittedStep {
        CLAIM {
            @Override
            Object make(RecordSteps steps, Pending record, Pending fresh) {
                return steps.claim(fresh, DAY, WAIT, Durability.DURABLE);
            }
        },
        MARK {
            @Override
            Object make(RecordSteps steps, Pending record, Pending fresh) {
                return steps.succeed(record.key(), record.token(), RESULT);
            }
        },
        CONFIRM {
            @Override
            Object make(RecordSteps steps, Pending record, Pending fresh) {
                return steps.confirm(record.key(), record.token());
            }
        };

        abstract Object make(RecordSteps steps, Pending record, Pending fresh);
    }
}
