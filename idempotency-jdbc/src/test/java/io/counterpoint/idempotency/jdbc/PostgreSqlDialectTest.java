package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlErrors;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Which statement is sent, when, and what PostgreSQL's errors say. */
class PostgreSqlDialectTest extends FaultySessions {

    private static final Dialect DIALECT = new PostgreSqlDialect(RecordTable.DEFAULT);

    // ---- durability ----------------------------------------------------------------------------------------------

    @Test
    void onlyAnAsynchronousClaimThatMayBeLostIsNotWaitedFor() {
        try (TestDatabase database = TestDatabase.postgresql()) {
            database.jdbi().useHandle(handle -> {
                handle.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                        + " INSERT INTO effect VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$");
                handle.execute(
                        "CREATE TRIGGER note AFTER INSERT ON idempotency_record FOR EACH ROW EXECUTE FUNCTION note()");
            });
            for (Durability durability : Durability.values()) {
                String relaxed = durability == Durability.ASYNCHRONOUS ? "off" : "on";
                assertThat(noted(database, database.store(), durability)).containsExactly(relaxed, relaxed, "on");
                assertThat(noted(
                                database,
                                database.store().toBuilder().durableClaims(true).build(),
                                durability))
                        .containsExactly("on", "on", "on");
            }
        }
    }

    /** Of a claim alone, of one with the lock, and of one in the domain's transaction. */
    private static Iterable<String> noted(TestDatabase database, JdbiIdempotencyStore store, Durability durability) {
        database.jdbi().useHandle(handle -> handle.execute("DELETE FROM effect"));
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            Optional<IdempotencyRecord> alone =
                    session.autoCommit(steps -> steps.claim(pending(), DAY, WAIT, durability));
            assertThat(alone).isEmpty();
            assertThat(session.claimAndLock(pending(), DAY, WAIT, durability)).isEmpty();
            Optional<IdempotencyRecord> within =
                    session.inTransaction((steps, scope) -> steps.claim(pending(), DAY, WAIT, durability));
            assertThat(within).isEmpty();
        }
        return database.effects();
    }

    // ---- locks ---------------------------------------------------------------------------------------------------

    /** The holder ends between the look whether the record is free and the wait. */
    @Test
    void lockIsWaitedFor() throws SQLException {
        Pending record = claimed(Kind.POSTGRESQL);
        FaultyDriver driver = on(Kind.POSTGRESQL);
        try (Connection holder = database(Kind.POSTGRESQL).connect();
                Session<Handle> session = session()) {
            holder.setAutoCommit(false);
            execute(holder, "SELECT FROM idempotency_record FOR UPDATE");
            driver.at("SKIP LOCKED", doing -> {
                Object nothing = doing.run();
                holder.commit();
                return nothing;
            });
            boolean locked = session.inTransaction(
                    (steps, scope) -> steps.lock(record.key(), WAIT).isPresent());
            assertThat(locked).isTrue();
        }
        assertThat(driver.calls("FOR UPDATE")).isEqualTo(2);
    }

    @Test
    void lockThatMustNotWaitIsOneStatement() {
        Pending record = claimed(Kind.POSTGRESQL);
        FaultyDriver driver = on(Kind.POSTGRESQL);
        try (Session<Handle> session = session()) {
            boolean locked = session.inTransaction(
                    (steps, scope) -> steps.lock(record.key(), Duration.ZERO).isPresent());
            assertThat(locked).isTrue();
        }
        assertThat(driver.calls("NOWAIT")).isOne();
        assertThat(driver.calls("FOR UPDATE")).isOne();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    // ---- the end of a transaction --------------------------------------------------------------------------------

    /** Servers before version 15 have no MERGE. */
    @ParameterizedTest
    @CsvSource({"14, 0", "15, 1", "18, 1"})
    void markIsSentWithTheCommitWhereTheServerHasTheStatement(int version, int merges) {
        Pending record = claimed(Kind.POSTGRESQL);
        FaultyDriver driver = on(Kind.POSTGRESQL).at("Connection.getMetaData", doing -> ofVersion(version));
        try (Session<Handle> session = session()) {
            boolean done = session.inTransaction((steps, scope) -> {
                assertThat(steps.lock(record.key(), WAIT)).isPresent();
                return steps.commitWith(new LastStep.Succeed(record.key(), record.token(), RESULT))
                        == LastStep.Result.DONE;
            });
            assertThat(done).isTrue();
        }
        assertThat(driver.calls("MERGE")).isEqualTo(merges);
        assertThat(store().read(record.key())).contains(succeeded(record));
    }

    private static DatabaseMetaData ofVersion(int version) {
        return (DatabaseMetaData) Proxy.newProxyInstance(
                PostgreSqlDialectTest.class.getClassLoader(),
                new Class<?>[] {DatabaseMetaData.class},
                (proxy, method, args) -> version);
    }

    /** A driver that sets savepoints sends no statements together. */
    @ParameterizedTest
    @ValueSource(strings = {"", "ROLLBACK", "COMMIT"})
    void transactionOfTheClaimIsAskedForWhereNothingIsSentTogether(String sql) {
        TestDatabase direct = database(Kind.POSTGRESQL);
        String url = direct.url() + (direct.url().contains("?") ? "&" : "?") + "autosave=always";
        try (TestDatabase saving = direct.with(url, config -> config.setMaximumPoolSize(1));
                Session<Handle> session = saving.store().open(TestDatabase.KEY)) {
            Pending record = pending();
            IllegalStateException otherwise = new IllegalStateException("another transaction");
            Runnable run = () -> session.inTransaction((steps, scope) -> {
                assertThat(steps.claim(record, DAY, WAIT, Durability.DURABLE)).isEmpty();
                if (!sql.isEmpty()) {
                    scope.handle().execute("--\n" + sql);
                }
                TestDatabase.write(scope.handle(), "effect");
                commitWith(steps, new LastStep.RequireNotEnded(record.key()), otherwise);
                return "answer";
            });
            if (sql.isEmpty()) {
                run.run();
            } else {
                assertThatThrownBy(run::run).isSameAs(otherwise);
            }
        }
        assertThat(direct.effects()).hasSize(sql.isEmpty() ? 1 : 0);
    }

    @Test
    void transactionHasBegunWithItsFirstStatement() throws SQLException {
        try (Connection connection = database(Kind.POSTGRESQL).connect()) {
            connection.setAutoCommit(false);
            assertThat(DIALECT.hasBegun(connection)).isFalse();
            execute(connection, "SELECT 1");
            assertThat(DIALECT.hasBegun(connection)).isTrue();
        }
    }

    // ---- a table that is out of reach ----------------------------------------------------------------------------

    private static final String LEFT = "SET LOCAL search_path TO nowhere";

    private Throwable afterTheWorkHasLeft(Pending record, Function<RecordSteps, Object> step) {
        on(Kind.POSTGRESQL);
        try (Session<Handle> session = session()) {
            return thrownBy(() -> session.inTransaction((steps, scope) -> {
                assertThat(steps.lock(record.key(), WAIT)).isPresent();
                scope.handle().execute(LEFT);
                return step.apply(steps);
            }));
        }
    }

    @Test
    void markOfATableThatTheWorkHasLeftSaysSo() {
        Pending record = claimed(Kind.POSTGRESQL);
        assertThat(afterTheWorkHasLeft(
                        record, steps -> steps.commitWith(new LastStep.Succeed(record.key(), record.token(), RESULT))))
                .hasMessageContaining("the work has changed search_path or role");
    }

    @Test
    void otherStepsDoNotSayThatTheWorkHasLeft() {
        Pending record = claimed(Kind.POSTGRESQL);
        Failure failure = new Failure("code", "message");
        assertThat(afterTheWorkHasLeft(record, steps -> steps.fail(record.key(), record.token(), failure)))
                .hasMessageEndingWith("SQLSTATE 42P01");
        on(Kind.POSTGRESQL);
        JdbiIdempotencyStore elsewhere =
                store().toBuilder().table("no_such_table").build();
        assertThat(thrownBy(() -> alone(elsewhere, steps -> steps.succeed(record.key(), record.token(), RESULT))))
                .hasMessageEndingWith("SQLSTATE 42P01");
        try (Session<Handle> session = elsewhere.open(TestDatabase.KEY)) {
            assertThatThrownBy(() -> session.inTransaction(
                            (steps, scope) -> steps.succeed(record.key(), record.token(), RESULT)))
                    .as("a mark without a lock")
                    .hasMessageEndingWith("SQLSTATE 42P01");
        }
    }

    // ---- errors --------------------------------------------------------------------------------------------------

    private static SQLException ofServer(String state, String message, String fields) {
        return new PSQLException(new ServerErrorMessage("SERROR\0C" + state + "\0M" + message + "\0" + fields));
    }

    @Test
    void claimThatWaitsForSomethingElseThanARowHasMetNoRival() {
        SQLException forATable = ofServer("55P03", "lock", "");
        assertThat(PostgreSqlErrors.ofClaim(forATable).getSQLState()).isEqualTo("57014");
        assertThat((Throwable) PostgreSqlErrors.ofClaim(forATable)).hasCause(forATable);
        for (SQLException same : new SQLException[] {
            ofServer("55P03", "lock", "Wwhile inserting index tuple (0,1) in relation\0"),
            ofServer("40P01", "deadlock", ""),
            new SQLException("of another driver", "55P03")
        }) {
            assertThat((Throwable) PostgreSqlErrors.ofClaim(same)).isSameAs(same);
        }
    }

    @Test
    void tableOutOfReachIsNotOneThatAFunctionOfTheTableMisses() {
        SQLException missing = ofServer("42P01", "relation", "");
        assertThat((Throwable) PostgreSqlErrors.reached(missing))
                .isInstanceOf(Dialect.Refusal.class)
                .hasCause(missing);
        SQLException inAFunction = ofServer("42P01", "relation", "WPL/pgSQL function\0");
        assertThat((Throwable) PostgreSqlErrors.reached(inAFunction)).isSameAs(inAFunction);
        SQLException another = ofServer("23505", "duplicate", "");
        assertThat((Throwable) PostgreSqlErrors.reached(another)).isSameAs(another);
    }

    @Test
    void errorIsOursByItsStateAndItsSentence() {
        String sentence = PostgreSqlStatements.UNCHANGED;
        assertThat(PostgreSqlErrors.isRaisedByUs(ofServer("42704", sentence, "")))
                .isTrue();
        assertThat(PostgreSqlErrors.isRaisedByUs(ofServer("42704", "unrecognized configuration parameter", "")))
                .isFalse();
        assertThat(PostgreSqlErrors.isRaisedByUs(ofServer("P0001", sentence, "")))
                .isFalse();
    }

    @Test
    void constraintIsNamed() {
        assertThat(DIALECT.constraint(ofServer("23505", "duplicate", "nseat_id_key\0")))
                .contains("seat_id_key");
        assertThat(DIALECT.constraint(ofServer("23505", "duplicate", ""))).isEmpty();
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @Test
    void dialectKnowsItsTableAndWhereItsStatementsAre() {
        RecordTable other = RecordTable.parse("other.records");
        assertThat(DIALECT.table()).isEqualTo(RecordTable.DEFAULT);
        assertThat(DIALECT.withTable(other).table()).isEqualTo(other);
        assertThat(DIALECT.schemaFile()).endsWith("postgresql.sql");
        assertThat(DIALECT.withTable(other).schema()).contains("other.records");
        assertThat(new PostgreSqlDialect(other).purge()).contains("DELETE FROM other.records");
    }
}
