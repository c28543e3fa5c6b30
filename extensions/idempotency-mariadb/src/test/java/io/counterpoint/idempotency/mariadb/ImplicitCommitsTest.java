package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that commit what the work has written, without the word. */
class ImplicitCommitsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRUNCATE other",
                "TRUNCATE TABLE other",
                "ANALYZE TABLE other",
                "OPTIMIZE TABLE other",
                "FLUSH TABLES",
                "LOCK TABLES other WRITE",
                "LOCK TABLE other WRITE",
                // It commits nothing, but later calls would use the table of that database.
                "USE mysql",
            })
    void workThatWouldCommitIsRefusedBeforeItHasAnEffect(String statement) {
        try (TestPool database = TestPool.with("")) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            Operation<Handle, String> operation = Idempotency.on(store)
                    .operation("operation", ResultCodec.string())
                    .build();
            Attempt attempt = Attempt.inScope("user:1").key("key").withoutRequest();

            assertThatThrownBy(() -> operation.execute(attempt, handle -> {
                        handle.execute("CREATE TEMPORARY TABLE IF NOT EXISTS other (id int)");
                        handle.execute(statement);
                        return "done";
                    }))
                    .rootCause()
                    .hasMessageContaining("Refused to execute");

            assertThat(operation.execute(attempt, handle -> "done")).isInstanceOf(Outcome.Rejected.class);
        }
    }

    /** SQL text that the library does not detect. With these locks, the next borrower could not reach the records. */
    @Test
    void connectionWithLocksThatTheWorkHasTakenIsNotHandedOn() {
        try (TestPool database = TestPool.with("")) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            Operation<Handle, String> operation = Idempotency.on(store)
                    .operation("operation", ResultCodec.string())
                    .build();
            Jdbi.create(database.pool()).useHandle(handle -> handle.execute("CREATE TABLE other (id int)"));

            assertThatThrownBy(() -> operation.execute(
                            Attempt.inScope("user:1").key("key").withoutRequest(), handle -> {
                                handle.execute("/*!50000 LOCK TABLES other WRITE */");
                                return "done";
                            }))
                    .isInstanceOfSatisfying(
                            IdempotencyException.class,
                            unknown -> assertThat(unknown.reason()).isSameAs(Reason.ENDED_BY_WORK));

            assertThat(operation.execute(Attempt.inScope("user:1").key("next").withoutRequest(), handle -> "done"))
                    .isInstanceOf(Outcome.Executed.class);
        }
    }
}
