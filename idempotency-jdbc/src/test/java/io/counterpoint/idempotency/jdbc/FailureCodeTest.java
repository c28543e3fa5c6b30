package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a database's errors are stored and shown: by codes that are the same on every database, and without its text. */
@Timeout(60)
class FailureCodeTest {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private static Outcome<String> execute(TestDatabase database, Consumer<Handle> work) {
        Operation<Handle, String> operation = Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .maxRetries(0)
                .build();
        return operation.execute(ATTEMPT, handle -> {
            work.accept(handle);
            return "result";
        });
    }

    private static Failure failureOf(TestDatabase database, Consumer<Handle> work) {
        assertThat(catchThrowable(() -> execute(database, work))).isNotNull();
        Outcome<String> retry = execute(database, handle -> {});
        assertThat(retry).isInstanceOf(Outcome.Rejected.class);
        return ((Outcome.Rejected<String>) retry).failure();
    }

    @ParameterizedTest
    @EnumSource
    void brokenConstraintHasOneCodeOnEveryDatabase(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThat(failureOf(database, handle -> handle.execute("INSERT INTO effect (id) VALUES (NULL)")))
                    .isEqualTo(new Failure("constraint", ""));
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingTableHasOneCodeOnEveryDatabase(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThat(failureOf(database, handle -> handle.execute("INSERT INTO nowhere VALUES (1)")))
                    .isEqualTo(new Failure("error", ""));
        }
    }

    @ParameterizedTest
    @EnumSource
    void exceptionOfTheDomainKeepsTheNameOfItsClass(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThat(failureOf(database, handle -> {
                        throw new IllegalArgumentException("secret");
                    }))
                    .isEqualTo(new Failure("IllegalArgumentException", ""));
        }
    }

    @Test
    void messageOfTheDatabaseStaysInTheCause() {
        try (TestDatabase database = TestDatabase.postgresql()) {
            database.jdbi()
                    .useHandle(handle ->
                            handle.execute("CREATE TABLE late (id varchar(20) UNIQUE DEFERRABLE INITIALLY DEFERRED)"));

            Throwable thrown = catchThrowable(() -> execute(database, handle -> {
                handle.execute("INSERT INTO late VALUES ('secret')");
                handle.execute("INSERT INTO late VALUES ('secret')");
            }));

            assertThat(thrown).hasMessageContaining("23505").hasMessageContaining("late_id_key");
            assertThat(thrown.getMessage()).doesNotContain("secret");
            assertThat(thrown).rootCause().hasMessageContaining("secret");
        }
    }
}
