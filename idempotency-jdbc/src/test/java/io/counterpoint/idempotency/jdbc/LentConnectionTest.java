package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection goes back as it came, or it is ended. Its settings in between are those of the step. */
class LentConnectionTest extends FaultySessions {

    // ---- errors --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void errorInAStepEndsTheConnectionOfADriverThatTalks(Kind kind) throws SQLException {
        for (String call : new String[] {"FROM idempotency_record", "setAutoCommit"}) {
            OutOfMemoryError error = new OutOfMemoryError("injected");
            on(kind, false).at(call, before(error));
            assertThatThrownBy(() -> alone(store(), steps -> steps.read(TestDatabase.KEY)))
                    .as(call)
                    .isSameAs(error);
            assertThat(isEnded()).as(call).isEqualTo(kind == Kind.POSTGRESQL);
        }
    }

    @ParameterizedTest
    @EnumSource
    void failureInAStepGivesTheConnectionBack(Kind kind) throws SQLException {
        on(kind).at("executeQuery", before(refusal()));
        Throwable thrown = thrownBy(() -> alone(store(), steps -> steps.read(TestDatabase.KEY)));
        assertThat(fault(thrown)).isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(isEnded()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void modeThatCannotBeSetFailsTheStep(Kind kind) throws SQLException {
        on(kind, false).at("setAutoCommit", before(refusal()));
        assertThatThrownBy(() -> alone(store(), steps -> steps.read(TestDatabase.KEY)))
                .hasMessageStartingWith("Could not begin a transaction");
        assertThat(isEnded()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void connectionThatCannotBePutInOrderIsEnded(Kind kind) throws SQLException {
        Strike done = FaultyDriver.Doing::run;
        on(kind, false).at("setAutoCommit", done, before(refusal()));
        Optional<IdempotencyRecord> found = alone(store(), steps -> steps.read(TestDatabase.KEY));
        assertThat(found).isEmpty();
        assertThat(isEnded()).isTrue();
    }

    /** Autocommit, when it is turned on again, would commit it. */
    @ParameterizedTest
    @EnumSource
    void whatACallbackBeginsAfterTheEndIsRolledBack(Kind kind) throws SQLException {
        on(kind);
        try (Session<Handle> session = session()) {
            String answer = session.inTransaction((steps, scope) -> {
                Handle handle = scope.handle();
                TestDatabase.write(handle, "effect");
                handle.afterCommit(() -> TestDatabase.write(handle, "callback"));
                return "answer";
            });
            assertThat(answer).isEqualTo("answer");
            assertThat(session.afterCommitFailure()).isEmpty();
        }
        assertThat(database(kind).effects()).containsExactly("effect");
        assertThat(isEnded()).isFalse();
    }

    /** The step turns autocommit on, within the same session. */
    @ParameterizedTest
    @EnumSource
    void whatACallbackBeginsAfterTheEndIsRolledBackBeforeAStepOfItsOwn(Kind kind) throws SQLException {
        on(kind);
        try (Session<Handle> session = session()) {
            String unused = session.inTransaction((steps, scope) -> {
                Handle handle = scope.handle();
                TestDatabase.write(handle, "effect");
                handle.afterCommit(() -> TestDatabase.write(handle, "callback"));
                return "answer";
            });
            Optional<IdempotencyRecord> found = session.autoCommit(steps -> steps.read(TestDatabase.KEY));
            assertThat(found).isEmpty();
        }
        assertThat(database(kind).effects()).containsExactly("effect");
    }

    /** The pool looks at a connection that comes back. The driver of MySQL answers that look although it is closed. */
    @Test
    void pooledConnectionThatWasEndedReachesNoOtherBorrower() throws SQLException {
        FaultyDriver driver = on(Kind.POSTGRESQL)
                .at("execute", before(new OutOfMemoryError("injected")))
                .at(
                        "Connection.clearWarnings",
                        Collections.<Strike>nCopies(9, doing -> null).toArray(new Strike[0]));
        HikariConfig config = new HikariConfig();
        config.setDataSource(driver.dataSource());
        config.setMaximumPoolSize(1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbiIdempotencyStore store = database(Kind.POSTGRESQL).store(pool);
            assertThatThrownBy(() -> alone(store, steps -> steps.read(TestDatabase.KEY)))
                    .isInstanceOf(OutOfMemoryError.class);
            try (Connection next = pool.getConnection();
                    Statement statement = next.createStatement()) {
                assertThat(statement.execute("SELECT 1")).isTrue();
            }
        }
    }

    // ---- settings ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void isolationIsThatOfTheTransactionOnly(Kind kind) throws SQLException {
        on(kind);
        JdbiIdempotencyStore strict =
                store().toBuilder().isolation(Isolation.SERIALIZABLE).build();
        try (Session<Handle> session = strict.open(TestDatabase.KEY)) {
            for (int transaction = 0; transaction < 2; transaction++) {
                assertThat(session.<Integer>inTransaction((steps, scope) -> level(scope.handle())))
                        .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            }
        }
        try (Session<Handle> session = store().open(TestDatabase.KEY)) {
            assertThat(session.<Integer>inTransaction((steps, scope) -> level(scope.handle())))
                    .isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        }
        assertThat(isEnded()).isFalse();
    }

    private static int level(Handle handle) {
        try {
            return handle.getConnection().getTransactionIsolation();
        } catch (SQLException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @ParameterizedTest
    @EnumSource
    void isolationThatCannotBeSetFailsTheTransaction(Kind kind) {
        on(kind).at(kind == Kind.H2 ? "setTransactionIsolation" : "ISOLATION LEVEL", before(refusal()));
        JdbiIdempotencyStore strict =
                store().toBuilder().isolation(Isolation.SERIALIZABLE).build();
        try (Session<Handle> session = strict.open(TestDatabase.KEY)) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> "not run"))
                    .hasMessageStartingWith("Could not set the isolation level");
        }
    }

    /** A read that begins a transaction would cost its end as well. */
    @ParameterizedTest
    @EnumSource
    void recordsAreReadTogetherWithoutATransaction(Kind kind) throws SQLException {
        Pending record = claimed(kind);
        FaultyDriver driver = on(kind, false);
        driver.at(kind == Kind.H2 ? "state" : "unnest", doing -> {
            assertThat(driver.physical().getAutoCommit()).isTrue();
            return doing.run();
        });
        try (JdbcSession<Handle> session = session()) {
            assertThat(TestDatabase.readAll(
                            session, Set.of(record.key(), pending().key())))
                    .containsOnlyKeys(record.key());
        }
        assertThat(driver.physical().getAutoCommit()).isFalse();
    }

    @Test
    void manyRecordsAreReadByOneStatementOnPostgreSql() {
        FaultyDriver driver = on(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            Set<IdempotencyKey> keys =
                    Stream.generate(() -> pending().key()).limit(3).collect(Collectors.toSet());
            assertThat(TestDatabase.readAll(session, keys)).isEmpty();
        }
        assertThat(driver.calls("executeQuery")).isOne();
    }

    // ---- purges --------------------------------------------------------------------------------------------------

    private static void expired(Kind kind) {
        Pending record = pending();
        Optional<?> claimed = alone(
                database(kind).store(), steps -> steps.claim(record, Duration.ofNanos(1000), WAIT, Durability.DURABLE));
        assertThat(claimed).isEmpty();
        boolean marked = alone(database(kind).store(), steps -> steps.succeed(record.key(), record.token(), RESULT));
        assertThat(marked).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void purgeIsCommittedWhateverModeTheConnectionCameIn(Kind kind) {
        expired(kind);
        on(kind, false);
        assertThat(store().purgeExpired(10)).isOne();
        assertThat(database(kind).one("SELECT count(*) FROM idempotency_record", Integer.class))
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void purgeThatConflictsIsRepeatedAFewTimes(Kind kind) {
        Strike conflict = before(new SQLException("injected", "40001"));
        Strike[] four = {conflict, conflict, conflict, conflict};
        expired(kind);
        on(kind).at("DELETE", four);
        assertThat(store().purgeExpired(10)).isOne();

        Strike[] tooMany = Arrays.copyOf(four, 5);
        tooMany[4] = conflict;
        FaultyDriver driver = on(kind).at("DELETE", tooMany);
        assertThat(fault(thrownBy(() -> store().purgeExpired(10)))).isEqualTo(Fault.CONFLICT);
        assertThat(driver.calls("DELETE")).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void purgeThatIsRefusedIsNotRepeated(Kind kind) {
        FaultyDriver driver = on(kind).at("DELETE", before(refusal()));
        Throwable thrown = thrownBy(() -> store().purgeExpired(10));
        assertThat(thrown).hasMessageStartingWith("Could not purge");
        assertThat(fault(thrown)).isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(driver.calls("DELETE")).isOne();
    }
}
