package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Transactions that are not the library's, and isolation levels that show what is not committed. */
@Timeout(60)
class ForeignTransactionTest {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:1").key("key-1").request("request");

    private final AtomicBoolean inside = new AtomicBoolean();
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.h2();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private Outcome<String> execute(IdempotencyStore<Handle> store) {
        Operation<Handle, String> operation =
                Idempotency.on(store).operation("operate", ResultCodec.string()).build();
        return operation.execute(ATTEMPT, handle -> {
            TestDatabase.write(handle, "effect");
            return "result";
        });
    }

    @Test
    void callInsideAForeignTransactionIsRefusedAndLeavesNothing() {
        JdbiIdempotencyStore store =
                database.store().toBuilder().rejectCallsWhile(inside::get).build();
        for (IdempotencyStore<Handle> view : List.of(
                store,
                store.toBuilder().durableClaims(true).build(),
                store.toBuilder().isolation(Isolation.SERIALIZABLE).build(),
                CoalescingStore.of(store, () -> "one"),
                store.toBuilder().table("idempotency_record").build())) {
            inside.set(true);
            assertThatThrownBy(() -> execute(view))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("does not belong to this library");
            assertThatThrownBy(() -> view.purgeExpired(1)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(database.effects()).isEmpty();
        assertThat(database.one("SELECT count(*) FROM idempotency_record", Integer.class))
                .isZero();

        inside.set(false);
        assertThat(execute(store)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void poolThatShowsUncommittedRowsIsRefusedAndLeavesNothing() {
        try (TestDatabase dirty =
                database.with(config -> config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED"))) {
            assertThatThrownBy(() -> execute(dirty.store()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ COMMITTED");
        }
        assertThat(database.effects()).isEmpty();
    }
}
