package io.counterpoint.idempotency.mariadb;

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
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server ends each session while its work does something else, so that no COMMIT is answered. */
@Timeout(120)
abstract class IdleTimeoutCalls {

    private int runs;

    abstract JdbiIdempotencyStore store();

    /** Another session on the server of the calls. */
    abstract Jdbi watch();

    /** Whether the first to meet the end of the session is a statement that commits, whose answer is then lost. */
    abstract boolean sendsStepWithCommit();

    /** In seconds, at least one. */
    abstract String timeout();

    /** Returns once the server has ended the session. */
    private void outlast(Handle handle) {
        runs++;
        handle.execute("SET SESSION " + timeout() + " = 1");
        long session =
                handle.createQuery("SELECT CONNECTION_ID()").mapTo(Long.class).one();
        while (count("SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + session) > 0) {
            Thread.onSpinWait();
        }
    }

    private int count(String query) {
        return watch().withHandle(
                        handle -> handle.createQuery(query).mapTo(Integer.class).one());
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_TRANSACTION, 0, FAILED, RUNS_ROLLED_BACK",
        "SINGLE_TRANSACTION, 1, FAILED, RUNS_ROLLED_BACK",
        "SINGLE_TRANSACTION, 3, FAILED, RUNS_ROLLED_BACK",
        "CLAIM_FIRST, 0, FAILED, FAILED",
        "CLAIM_FIRST, 1, FAILED, FAILED",
        "CLAIM_FIRST, 3, FAILED, FAILED",
        "RECORD_LAST, 0, RUNS_ROLLED_BACK, FAILED",
        "RECORD_LAST, 1, RUNS_ROLLED_BACK, FAILED",
        "RECORD_LAST, 3, RUNS_ROLLED_BACK, FAILED"
    })
    final void workRunsAsOftenAsItsOperationSaysAndHasNoEffect(
            Protocol protocol, int retries, Reason ofStep, Reason ofCommit) {
        Reason end = sendsStepWithCommit() ? ofCommit : ofStep;
        Operation<Handle, String> operation = Idempotency.on(store())
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .maxRetries(retries)
                .build();
        Attempt attempt =
                Attempt.inScope("user:1").key(protocol + "-" + retries).withoutRequest();

        Throwable thrown = catchThrowable(() -> operation.execute(attempt, handle -> {
            handle.execute("INSERT INTO effect (id, key_value, caller, result) VALUES (UUID(), 'idle', '', '')");
            outlast(handle);
            return "result";
        }));

        assertThat(thrown)
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        told -> assertThat(told.reason()).isEqualTo(end));
        assertThat(runs).isEqualTo(retries + 1);
        assertThat(count("SELECT COUNT(*) FROM effect WHERE key_value = 'idle'"))
                .isZero();
        assertThat(operation.execute(attempt, handle -> "quick"))
                .isInstanceOf(end == Reason.FAILED ? Outcome.Rejected.class : Outcome.Executed.class);
    }
}
