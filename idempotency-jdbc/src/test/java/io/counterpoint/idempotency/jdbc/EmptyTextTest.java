package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 as Oracle: an empty text is NULL. The whole contract over it is {@link H2OracleModeContractTest}. */
class EmptyTextTest {

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.h2("MODE=Oracle");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    private static <R> Operation.Builder<Handle, R> operation(boolean single, ResultCodec<R> codec) {
        Operation.Builder<Handle, R> builder = Idempotency.on(database.store())
                .operation("operation", codec)
                .describeFailure(thrown -> new Failure("", ""));
        return single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder;
    }

    private static Attempt attempt() {
        return Attempt.inScope("user:1").key(UUID.randomUUID().toString()).request("request");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void emptyResultsAreReplayed(boolean single) {
        for (int round = 0; round < 2; round++) {
            Attempt text = attempt();
            assertThat(operation(single, ResultCodec.string())
                            .build()
                            .execute(text, handle -> "")
                            .asOptional())
                    .contains("");
            assertThat(operation(single, ResultCodec.string())
                            .build()
                            .execute(text, handle -> "again")
                            .asOptional())
                    .contains("");
            Attempt done = attempt();
            assertThat(operation(single, ResultCodec.done())
                            .build()
                            .execute(done, handle -> Done.DONE)
                            .asOptional())
                    .contains(Done.DONE);
            assertThat(operation(single, ResultCodec.done()).build().execute(done, handle -> Done.DONE))
                    .isInstanceOf(Outcome.Replayed.class);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void emptyPlanIsReplayed(boolean single) {
        Attempt attempt = attempt();
        for (int calls = 0; calls < 2; calls++) {
            assertThat(operation(single, ResultCodec.string())
                            .planned()
                            .build()
                            .execute(
                                    attempt,
                                    () -> "",
                                    (handle, plan) -> assertThat(plan).isEmpty())
                            .asOptional())
                    .contains("");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failureWithoutWordsIsToldToEveryRetry(boolean single) {
        Attempt attempt = attempt();
        Operation<Handle, String> operation =
                operation(single, ResultCodec.string()).build();
        IllegalStateException refused = new IllegalStateException("refused");
        assertThatThrownBy(() -> operation.execute(attempt, handle -> {
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(operation.execute(attempt, handle -> "again"))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure()).isEqualTo(new Failure("", "")));
    }

    /** Such a transaction has no name, which is not every name. */
    @Test
    void markIsRefusedInATransactionThatFollowedTheOneOfTheLock() throws SQLException {
        Dialect dialect = new H2Dialect(RecordTable.DEFAULT);
        Pending record = new Pending(
                TestDatabase.KEY,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        try (Connection connection = database.pool().getConnection()) {
            assertThat(dialect.insert(
                                    connection,
                                    record,
                                    new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(1), true, false))
                            .inserted())
                    .isTrue();
            connection.setAutoCommit(false);
            String transaction = dialect.lock(connection, record.key(), Duration.ZERO, Optional.empty())
                    .orElseThrow()
                    .transaction()
                    .text();
            connection.rollback();
            assertThat(dialect.change(
                            connection, RecordChange.SUCCEED, record.key(), record.token(), false, null, transaction))
                    .isFalse();
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
