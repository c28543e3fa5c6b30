package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a session knows at the end of the work: of other threads in a call, and of a transaction that has ended. */
class EndOfWorkTest extends FaultySessions {

    private static final String LATE = "INSERT INTO effect (id) VALUES ('late')";

    private final RuntimeException noMark = new IllegalStateException("no mark");
    private final ExecutorService tasks = Executors.newSingleThreadExecutor();

    @AfterEach
    void release() {
        tasks.shutdownNow();
    }

    private static String ending(Kind kind) {
        return kind == Kind.POSTGRESQL ? "COMMIT" : "CREATE TABLE IF NOT EXISTS ended (id int)";
    }

    // ---- calls in flight -------------------------------------------------------------------------------------------

    /** The last step of the transaction, in each protocol. */
    enum Last {
        NONE,
        MARK,
        MARKS,
        CHECK;

        void of(RecordSteps steps, Pending record, RuntimeException noMark) {
            switch (this) {
                case NONE -> {}
                case MARK -> commitWith(steps, new LastStep.Succeed(record.key(), record.token(), RESULT), noMark);
                case MARKS ->
                    commitWith(
                            steps,
                            new LastStep.SucceedAll(
                                    List.of(new LastStep.Success(record.key(), record.token(), RESULT.orElseThrow()))),
                            noMark);
                case CHECK -> commitWith(steps, new LastStep.RequireNotEnded(record.key()), noMark);
            }
        }
    }

    /** A driver within this process cannot end a call. It is cancelled, and waited for. */
    @ParameterizedTest
    @EnumSource
    void callInFlightIsCancelledAndNothingIsCommitted(Kind kind) throws Exception {
        for (Last last : Last.values()) {
            CountDownLatch inFlight = new CountDownLatch(1);
            CountDownLatch cancelled = new CountDownLatch(1);
            FaultyDriver driver = on(kind).at(LATE, doing -> {
                        inFlight.countDown();
                        cancelled.await();
                        throw new SQLException("cancelled", "57014");
                    })
                    .at("Statement.cancel", doing -> {
                        cancelled.countDown();
                        return null;
                    });
            Pending record = claimed(kind);
            try (JdbcSession<Handle> session = session()) {
                assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                            assertThat(steps.lock(record.key(), WAIT)).isPresent();
                            TestDatabase.write(scope.handle(), "effect");
                            Future<?> unused = begin(scope.handle().getConnection());
                            awaitQuietly(inFlight);
                            last.of(steps, record, noMark);
                            return "answer";
                        }))
                        .as("%s", last)
                        .hasMessageStartingWith("When the work ended, another thread");
                assertThat(session.isOutlived()).isTrue();
            }
            assertThat(isEnded()).isEqualTo(kind == Kind.POSTGRESQL);
            assertThat(database(kind).effects()).isEmpty();
            assertThat(driver.calls("state = 'S'")).as("%s", last).isZero();
        }
    }

    private Future<?> begin(Connection connection) {
        return tasks.submit(() -> {
            try (Statement statement = connection.createStatement()) {
                return statement.executeUpdate(LATE);
            }
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    /** The work of one attempt leaves a call in flight, in each try. Nobody knows whose it is, until it is alone. */
    @ParameterizedTest
    @EnumSource
    void attemptOfABatchThatLeavesACallInFlightFailsAlone(Kind kind) {
        Semaphore inFlight = new Semaphore(0);
        Semaphore cancelled = new Semaphore(0);
        Strike late = doing -> {
            inFlight.release();
            cancelled.acquire();
            throw new SQLException("cancelled", "57014");
        };
        Strike cancel = doing -> {
            cancelled.release();
            return null;
        };
        on(kind).at(LATE, Collections.nCopies(9, late).toArray(new Strike[0]))
                .at("Statement.cancel", Collections.nCopies(9, cancel).toArray(new Strike[0]));
        Batch<Handle, String> batch = Batch.inOneTransaction(
                Idempotency.on(store()).operation("batch", ResultCodec.string()).build());
        List<Attempt> attempts = List.of(
                Attempt.inScope("user:1").key("good").withoutRequest(),
                Attempt.inScope("user:1").key("bad").withoutRequest());

        List<BatchResult<String>> answers = batch.executeEach(attempts, (handle, attempt) -> {
            TestDatabase.write(handle, "effect-" + attempt.index());
            if (attempt.index() == 1) {
                Future<?> unused = begin(handle.getConnection());
                inFlight.acquireUninterruptibly();
            }
            return "done";
        });

        assertThat(answers.get(0).asOptional().orElseThrow()).isInstanceOf(Outcome.Executed.class);
        assertThat(answers.get(1).asOptional()).isEmpty();
        assertThat(answers.get(1).<String>fold(Object::toString, Throwable::getMessage))
                .contains("When the work ended, another thread");
        assertThat(database(kind).effects()).containsExactly("effect-0");
        assertThat(batch.executeEach(attempts, (handle, attempt) -> "again"))
                .extracting(answer -> answer.asOptional().orElseThrow())
                .satisfiesExactly(
                        good -> assertThat(good).isInstanceOf(Outcome.Replayed.class),
                        bad -> assertThat(bad).isInstanceOf(Outcome.Rejected.class));
    }

    @ParameterizedTest
    @EnumSource
    void eachTransactionOfASessionMayHaveTasks(Kind kind) {
        on(kind);
        try (JdbcSession<Handle> session = session()) {
            for (int transaction = 0; transaction < 2; transaction++) {
                assertThat(session.<Integer>inTransaction(
                                (steps, scope) -> result(begin(scope.handle().getConnection()))))
                        .isEqualTo(1);
                assertThat(session.isOutlived()).isFalse();
            }
        }
        assertThat(database(kind).effects()).containsExactly("late", "late");
    }

    private static Integer result(Future<?> task) {
        try {
            return (Integer) task.get(20, SECONDS);
        } catch (Exception thrown) {
            throw new AssertionError(thrown);
        }
    }

    // ---- a transaction that has ended ------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void transactionThatTheWorkHasEndedIsKnown(Kind kind) {
        on(kind);
        Pending record = claimed(kind);
        assertThat(hasEnded(record, "SELECT 1")).isFalse();
        assertThat(hasEnded(record, "")).isFalse();
        assertThat(hasEnded(record, ending(kind))).isTrue();
    }

    private boolean hasEnded(Pending record, String sql) {
        boolean[] ended = new boolean[1];
        try (JdbcSession<Handle> session = session()) {
            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        assertThat(steps.lock(record.key(), WAIT)).isPresent();
                        ended[0] = hasEnded(steps, scope.handle(), record, sql);
                        throw noMark;
                    }))
                    .isSameAs(noMark);
        }
        return ended[0];
    }

    private boolean hasEnded(RecordSteps steps, Handle handle, Pending record, String sql) {
        if (!sql.isEmpty()) {
            handle.execute("--\n" + sql);
        }
        boolean ended = steps.hasEnded(record.key(), noMark);
        if (!sql.isEmpty()) {
            // With the question the work is over, also for its tasks.
            assertThatThrownBy(() -> begin(handle.getConnection()).get(20, SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("the work is over");
        }
        return ended;
    }

    /** Where no step of the library has come before the work. */
    @Test
    void driverOfPostgreSqlKnowsATransactionWithoutAName() {
        on(Kind.POSTGRESQL);
        Pending record = claimed(Kind.POSTGRESQL);
        for (String sql : new String[] {"", "SELECT 1", "COMMIT"}) {
            try (JdbcSession<Handle> session = session()) {
                assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                            assertThat(hasEnded(steps, scope.handle(), record, sql))
                                    .as(sql)
                                    .isEqualTo(sql.equals("COMMIT"));
                            throw noMark;
                        }))
                        .isSameAs(noMark);
            }
        }
    }

    /** So the record that a mark has changed is read, and not the memory of the session. */
    @ParameterizedTest
    @EnumSource
    void markOfATransactionThatHasNotEndedIsStored(Kind kind) {
        on(kind);
        Pending record = claimed(kind);
        try (JdbcSession<Handle> session = session()) {
            assertThatCode(() -> session.inTransaction((steps, scope) -> {
                        assertThat(steps.lock(record.key(), WAIT)).isPresent();
                        TestDatabase.write(scope.handle(), "effect");
                        Last.MARK.of(steps, record, noMark);
                        return "answer";
                    }))
                    .doesNotThrowAnyException();
        }
        IdempotencyRecord found = database(kind).store().read(record.key()).orElseThrow();
        assertThat(found).isInstanceOf(Succeeded.class);
    }
}
