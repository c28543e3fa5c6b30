package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.ControllableClock;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The connection is lost while the call waits for the reply to COMMIT: the commit is in doubt until its record is read. */
class LostCommitReplyTest extends FaultySessions {

    /** More often than any call tries. */
    private static final int ALWAYS = 1_000;

    private static final Attempt ATTEMPT = attempt("key-1");

    /** The ways to commit an effect with its record. */
    enum Way {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED,
        RECORD_LAST,
        RECORD_LAST_PLANNED,
        BATCH;

        Operation.Protocol protocol() {
            return this == BATCH
                    ? Operation.Protocol.CLAIM_FIRST
                    : Operation.Protocol.valueOf(name().replace("_PLANNED", ""));
        }

        boolean planned() {
            return name().endsWith("_PLANNED");
        }
    }

    private final List<String> events = new ArrayList<>();
    private int runs;

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    static Stream<Arguments> everyWay() {
        return Stream.of(Kind.values()).flatMap(kind -> Stream.of(Way.values()).map(way -> Arguments.of(kind, way)));
    }

    /** The server commits, or does not, and then the connection ends. */
    private static Strike lost(FaultyDriver driver, boolean committed) {
        return doing -> {
            if (committed) {
                doing.run();
            }
            driver.physical().close();
            throw new SQLException("injected", "08006");
        };
    }

    /** What the driver sends last: PostgreSQL gets the commit with the step before it, but for batches. */
    private static String commitOf(Kind kind, Way way) {
        return kind == Kind.POSTGRESQL && way != Way.BATCH ? "COMMIT" : "Connection.commit";
    }

    private Outcome<String> call(Way way, IntConsumer also) {
        Operation.Builder<Handle, String> builder = Idempotency.builder(
                        store().toBuilder().table(TestDatabase.TABLE).build().checkTable())
                .clock(new ControllableClock())
                .listener(event -> events.add(event.name()))
                .build()
                .operation("operate", ResultCodec.string())
                .protocol(way.protocol());
        if (way == Way.BATCH) {
            return Batch.inOneTransaction(builder.build())
                    .executeAll(List.of(ATTEMPT, attempt("key-2")), (handle, leading) -> {
                        write(handle, also);
                        return List.of("result", "result");
                    })
                    .get(0)
                    .orElseThrow();
        }
        return way.planned()
                ? builder.planned().build().execute(ATTEMPT, () -> "result", (handle, plan) -> write(handle, also))
                : builder.build().execute(ATTEMPT, handle -> {
                    write(handle, also);
                    return "result";
                });
    }

    private void write(Handle handle, IntConsumer also) {
        runs++;
        TestDatabase.write(handle, "effect");
        also.accept(runs);
    }

    /** Calls, and loses the reply to the first commit of the work. */
    private Outcome<String> callAndLose(FaultyDriver driver, Kind kind, Way way, boolean committed) {
        return call(way, run -> {
            if (run == 1) {
                driver.at(commitOf(kind, way), lost(driver, committed));
            }
        });
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void workThatIsCommittedIsNotRunAgainAndIsTheCallsOwn(Kind kind, Way way) {
        Outcome<String> outcome = callAndLose(on(kind), kind, way, true);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs).isEqualTo(1);
        assertThat(database(kind).effects()).containsExactly("effect");
        assertThat(events).contains("commit_unknown").doesNotContain("retried");
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void workThatIsNotCommittedIsRunAgainOnceThatIsKnown(Kind kind, Way way) {
        Outcome<String> outcome = callAndLose(on(kind), kind, way, false);

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs).isEqualTo(2);
        assertThat(database(kind).effects()).containsExactly("effect");
        assertThat(events).contains("commit_unknown");
    }

    @ParameterizedTest
    @MethodSource("everyWay")
    void outcomeIsUnknownWhileTheDatabaseCannotBeReached(Kind kind, Way way) throws SQLException {
        for (boolean committed : List.of(true, false)) {
            runs = 0;
            FaultyDriver driver = on(kind);
            assertThatThrownBy(() -> call(
                            way,
                            run -> driver.at(commitOf(kind, way), doing -> {
                                unreachable(driver);
                                return lost(driver, committed).at(doing);
                            })))
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            thrown -> assertThat(thrown.isRetryable()).isTrue());
            assertThat(runs).isEqualTo(1);
            assertThat(database(kind).effects()).hasSize(committed ? 1 : 0);
            leaveNothing();
        }
    }

    private static void unreachable(FaultyDriver driver) {
        driver.at(
                "DataSource.getConnection",
                Collections.nCopies(ALWAYS, FaultyDriver.before(new SQLException("injected", "08001")))
                        .toArray(new Strike[0]));
    }

    // ---- what the session says -----------------------------------------------------------------------------------

    private static String write(RecordSteps unused, WorkScope<Handle> scope) {
        TestDatabase.write(scope.handle(), "effect");
        return "answer";
    }

    @ParameterizedTest
    @CsvSource({"H2, true", "H2, false", "POSTGRESQL, true", "POSTGRESQL, false"})
    void unansweredCommitMayBeSentWhateverTheDatabaseDid(Kind kind, boolean committed) {
        FaultyDriver driver = on(kind);
        driver.at("Connection.commit", lost(driver, committed));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(LostCommitReplyTest::write));
            assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
            assertThat(session.commitMayBeSent()).isTrue();
        }
        assertThat(database(kind).effects()).hasSize(committed ? 1 : 0);
    }

    @ParameterizedTest
    @EnumSource
    void commitIsNotSentBeforeItsLastStepIsDone(Kind kind) {
        on(kind);
        try (JdbcSession<Handle> session = session()) {
            Pending absent = pending();
            LastStep.Result result = session.inTransaction((steps, scope) -> {
                TestDatabase.write(scope.handle(), "effect");
                return steps.commitWith(new LastStep.Succeed(absent.key(), absent.token(), RESULT));
            });
            assertThat(result).isEqualTo(LastStep.Result.NOT_MINE);
            assertThat(session.commitMayBeSent()).isFalse();
        }
        assertThat(database(kind).effects()).isEmpty();
    }

    @Test
    void commitIsNotSentAfterALastStepThatFailed() {
        Pending record = claimed(Kind.H2);
        on(Kind.H2).at("state = 'S'", before(refusal()));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> session.inTransaction(
                    (steps, scope) -> steps.commitWith(new LastStep.Succeed(record.key(), record.token(), RESULT))));
            assertThat(fault(thrown)).isEqualTo(Fault.STATEMENT_REFUSED);
            assertThat(session.commitMayBeSent()).isFalse();
        }
    }

    /** The session serves one transaction after the other. */
    @ParameterizedTest
    @EnumSource
    void transactionThatFailsBeforeItsCommitSaysNothingOfTheOneBefore(Kind kind) {
        on(kind);
        try (JdbcSession<Handle> session = session()) {
            assertThat(session.<String>inTransaction(LostCommitReplyTest::write))
                    .isEqualTo("answer");
            assertThat(session.commitMayBeSent()).isTrue();
            IllegalArgumentException refused = new IllegalArgumentException("refused");
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        throw refused;
                    }))
                    .isSameAs(refused);
            assertThat(session.commitMayBeSent()).isFalse();
        }
    }
}
