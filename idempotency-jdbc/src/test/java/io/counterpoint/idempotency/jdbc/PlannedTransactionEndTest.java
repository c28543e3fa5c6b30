package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SQL text that ends the transaction of a planned single transaction, whose record is written first and not marked. */
@Timeout(60)
class PlannedTransactionEndTest {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private static Outcome<String> execute(TestDatabase database, Consumer<Handle> work) {
        return Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build()
                .execute(ATTEMPT, () -> "result", (handle, plan) -> work.accept(handle));
    }

    @ParameterizedTest
    @EnumSource
    void rollbackAsTheLastStatementIsNoticed(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThatThrownBy(() -> execute(database, handle -> {
                        TestDatabase.write(handle, "undone");
                        handle.execute("--\nROLLBACK");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("ended the transaction");
            assertThat(database.effects()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingAfterARollbackIsCommitted(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThatThrownBy(() -> execute(database, handle -> {
                        handle.execute("--\nROLLBACK");
                        TestDatabase.write(handle, "after");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("ended the transaction");
            assertThat(database.effects()).isEmpty();
        }
    }

    /** Record and effect are committed, but the library did not see to it that they are durable. */
    @ParameterizedTest
    @EnumSource
    void commitAsTheLastStatementIsNoticed(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThatThrownBy(() -> execute(database, handle -> {
                        TestDatabase.write(handle, "committed");
                        handle.execute("--\nCOMMIT");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("ended the transaction");
            assertThat(database.effects()).containsExactly("committed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingAfterACommitIsCommitted(Database kind) {
        try (TestDatabase database = kind.open()) {
            assertThatThrownBy(() -> execute(database, handle -> {
                        TestDatabase.write(handle, "committed");
                        handle.execute("--\nCOMMIT");
                        TestDatabase.write(handle, "after");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("ended the transaction");
            assertThat(database.effects()).containsExactly("committed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void commitBeforeAFailureIsNotReplayed(Database kind) {
        try (TestDatabase database = kind.open()) {
            IllegalArgumentException refusal = new IllegalArgumentException("refused");
            assertThatThrownBy(() -> execute(database, handle -> {
                        TestDatabase.write(handle, "committed");
                        handle.execute("--\nCOMMIT");
                        throw refusal;
                    }))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("ended the transaction")
                    .hasCause(refusal);
        }
    }
}
