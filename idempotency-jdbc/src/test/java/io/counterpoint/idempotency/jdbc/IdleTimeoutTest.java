package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server ends each session while its work does something else, so that no COMMIT is answered. */
@Tag("thorough")
@Timeout(120)
class IdleTimeoutTest {

    private static TestDatabase database;
    private static TestDatabase patient;

    private int runs;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgresql();
        patient = database.with(config -> config.setMaximumPoolSize(1));
    }

    @AfterAll
    static void close() {
        patient.close();
        database.close();
    }

    @BeforeEach
    void prepare() {
        TestDatabase unused = database.emptied();
    }

    /** Returns once the server has ended the session. */
    private void outlast(Handle handle) {
        runs++;
        int backend = handle.createQuery("SELECT pg_backend_pid()")
                .mapTo(Integer.class)
                .one();
        // Last: a statement after it might come too late.
        handle.execute("SET LOCAL idle_in_transaction_session_timeout = '20ms'");
        while (patient.one("SELECT count(*) FROM pg_stat_activity WHERE pid = " + backend, Integer.class) > 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_TRANSACTION, 0, RUNS_ROLLED_BACK",
        "SINGLE_TRANSACTION, 1, RUNS_ROLLED_BACK",
        "SINGLE_TRANSACTION, 3, RUNS_ROLLED_BACK",
        "CLAIM_FIRST, 0, FAILED",
        "CLAIM_FIRST, 1, FAILED",
        "CLAIM_FIRST, 3, FAILED",
        "RECORD_LAST, 0, FAILED",
        "RECORD_LAST, 1, FAILED",
        "RECORD_LAST, 3, FAILED"
    })
    void workRunsAsOftenAsItsOperationSaysAndHasNoEffect(Protocol protocol, int retries, Reason end) {
        Operation<Handle, String> operation = Idempotency.on(database.store().toBuilder()
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable())
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .maxRetries(retries)
                .build();
        Attempt attempt =
                Attempt.inScope("user:1").key(protocol + "-" + retries).withoutRequest();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt, handle -> {
            TestDatabase.write(handle, "effect");
            outlast(handle);
            return "result";
        }));

        assertThat(thrown)
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        told -> assertThat(told.reason()).isEqualTo(end));
        assertThat(runs).isEqualTo(retries + 1);
        assertThat(database.effects()).isEmpty();
        assertThat(operation.execute(attempt, handle -> "quick"))
                .isInstanceOf(end == Reason.FAILED ? Outcome.Rejected.class : Outcome.Executed.class);
    }
}
