package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that wait as long as the session's own lock_timeout allows. */
@Tag("thorough")
@Timeout(60)
class BoundBySessionTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key").request("request");

    private static JdbiIdempotencyStore bounded(TestDatabase database) {
        return database.store().toBuilder()
                .table(TestDatabase.TABLE)
                .lockTimeoutOfSession(true)
                .build();
    }

    private static Operation.Builder<Handle, Done> operation(TestDatabase database) {
        return Idempotency.on(bounded(database))
                .operation("operation")
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .waitAtMost(Duration.ofMillis(10));
    }

    /** It waits for longer than its operation would, and gets the answer. */
    @Test
    void duplicateWaitsAsLongAsTheSessionAllows() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql("lock_timeout=20s");
                TestDatabase other = database.with(config -> {})) {
            List<CompletableFuture<Outcome<Done>>> duplicates = new ArrayList<>();
            Outcome<Done> first = operation(database).build().execute(ATTEMPT, handle -> {
                duplicates.add(CompletableFuture.supplyAsync(
                        () -> operation(other).build().execute(ATTEMPT, unused -> Done.DONE)));
                awaitWaiter(database, duplicates.get(0));
                return Done.DONE;
            });
            assertThat(first).isInstanceOf(Outcome.Executed.class);
            assertThat(duplicates.get(0).get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Replayed.class);
        }
    }

    /** Until a call has waited for a lock for ten times as long as its operation waits, or does not wait. */
    private static void awaitWaiter(TestDatabase database, CompletableFuture<?> call) {
        while (!call.isDone()
                && database.<Integer>one(
                                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
                                        + " current_database() AND query_start < clock_timestamp() - interval '100 ms'",
                                Integer.class)
                        == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void duplicateIsInProgressAfterTheSessionsBound() throws Exception {
        try (TestDatabase database = TestDatabase.postgresql("lock_timeout=200ms");
                TestDatabase other = database.with(config -> {})) {
            Outcome<Done> first = operation(database).build().execute(ATTEMPT, handle -> {
                assertThat(CompletableFuture.supplyAsync(
                                        () -> operation(other).build().execute(ATTEMPT, unused -> Done.DONE))
                                .get(20, TimeUnit.SECONDS))
                        .isInstanceOf(Outcome.InProgress.class);
                return Done.DONE;
            });
            assertThat(first).isInstanceOf(Outcome.Executed.class);
        }
    }

    @Test
    void sessionWithoutABoundIsRefusedAtTheStartAndAtEachCall() {
        try (TestDatabase database = TestDatabase.postgresql("lock_timeout=2s");
                TestDatabase unbounded = TestDatabase.postgresql("lock_timeout=0")) {
            bounded(database).checkTable();
            assertThatIllegalStateException()
                    .isThrownBy(() -> bounded(unbounded).checkTable())
                    .withMessageContaining("the session has no lock_timeout");
            assertThatThrownBy(() -> operation(unbounded).build().execute(ATTEMPT, handle -> {
                        TestDatabase.write(handle, "effect");
                        return Done.DONE;
                    }))
                    .hasMessageContaining("ALTER ROLE");
            assertThat(unbounded.effects()).isEmpty();
            assertThat(unbounded.store().read(operation(unbounded).build().keyOf(ATTEMPT)))
                    .isEmpty();
        }
    }

    @Test
    void boundOfTheWorkIsTheSessionsTooAndItsDurabilityIsRaised() {
        try (TestDatabase database = TestDatabase.postgresql("lock_timeout=7s", "synchronous_commit=off")) {
            assertThat(operation(database)
                            .planned()
                            .build()
                            .execute(
                                    ATTEMPT,
                                    () -> Done.DONE,
                                    (handle, plan) -> TestDatabase.write(
                                            handle,
                                            handle.createQuery("SELECT concat(current_setting('lock_timeout'), ' ',"
                                                            + " current_setting('synchronous_commit'))")
                                                    .mapTo(String.class)
                                                    .one())))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(database.effects()).containsExactly("7s on");
        }
    }

    @Nested
    @Tag("thorough")
    class Contract extends JdbiStoreContract {

        private static TestDatabase database;

        @BeforeAll
        static void open() {
            database = TestDatabase.postgresql("lock_timeout=300ms");
        }

        @AfterAll
        static void close() {
            database.close();
        }

        @Override
        TestDatabase database() {
            return database;
        }

        @Override
        protected IdempotencyStore<Handle> store() {
            super.store();
            return bounded(database).checkTable();
        }
    }
}
