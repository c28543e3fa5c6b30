package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Work that ends its transaction by SQL text. What it has committed is beyond help. So its key must keep a record that
 * nobody runs again: no retry, no other process, and nobody after the grace period.
 */
@Timeout(120)
abstract class EndedTransactionContract {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("key").request("request");
    private static final Duration GRACE = Duration.ofMillis(1);

    private final Supplier<Jdbi> jdbi;
    private final Supplier<JdbiIdempotencyStore> store;
    private final List<String> endings;

    /**
     * For subclasses.
     *
     * @param store makes a store, as each process has one
     * @param endings the statements that end a transaction
     */
    EndedTransactionContract(Supplier<Jdbi> jdbi, Supplier<JdbiIdempotencyStore> store, List<String> endings) {
        this.jdbi = jdbi;
        this.store = store;
        this.endings = endings;
    }

    /** How the operation is built and called. */
    enum Way {
        CLAIM_FIRST,
        CLAIM_FIRST_TAKEN_OVER,
        CLAIM_FIRST_PLANNED,
        SINGLE,
        SINGLE_RELEASED,
        SINGLE_PLANNED,
        RECORD_LAST,
        BATCH;

        private Operation<Handle, String> operation(JdbiIdempotencyStore store) {
            Operation.Builder<Handle, String> builder =
                    Idempotency.on(store).operation("operation", ResultCodec.string());
            return switch (this) {
                case SINGLE, SINGLE_PLANNED ->
                    builder.singleTransaction().waitAtMost(GRACE).build();
                case SINGLE_RELEASED ->
                    builder.singleTransaction()
                            .waitAtMost(GRACE)
                            .releaseOn(thrown -> true)
                            .build();
                case RECORD_LAST -> builder.recordLast().build();
                case CLAIM_FIRST_TAKEN_OVER ->
                    builder.takeOverAbandonedAfter(GRACE).build();
                default -> builder.failAbandonedAfter(GRACE).build();
            };
        }

        Outcome<String> call(JdbiIdempotencyStore store, Consumer<Handle> work) {
            Operation<Handle, String> operation = operation(store);
            return switch (this) {
                case CLAIM_FIRST_PLANNED, SINGLE_PLANNED ->
                    operation.executePlanned(ATTEMPT, () -> "result", (handle, plan) -> work.accept(handle));
                case BATCH ->
                    Batch.inOneTransaction(operation)
                            .executeAll(List.of(ATTEMPT), (handle, attempts) -> {
                                work.accept(handle);
                                return List.of("result");
                            })
                            .get(0)
                            .orElseThrow();
                default ->
                    operation.execute(ATTEMPT, handle -> {
                        work.accept(handle);
                        return "result";
                    });
            };
        }
    }

    /** What the work does after it has ended its transaction. */
    enum Then {
        RETURNS,
        THROWS,
        MEETS_AN_ERROR;

        void happens(Handle handle) {
            switch (this) {
                case RETURNS -> {}
                case THROWS -> throw new IllegalArgumentException("refused");
                case MEETS_AN_ERROR -> handle.execute("INSERT INTO effect VALUES (NULL)");
            }
        }
    }

    /** Whether the database shows it. Record last asks for no name of its transaction. */
    boolean shows(Way way, Then then) {
        return true;
    }

    @TestFactory
    Stream<DynamicTest> workThatHasEndedItsTransactionIsNeverRunAgain() {
        return Stream.of(Way.values())
                .flatMap(way -> endings.stream()
                        .flatMap(sql -> Stream.of(Then.values())
                                .map(then ->
                                        dynamicTest(way + ", " + sql + ", " + then, () -> runsOnce(way, sql, then)))));
    }

    private void runsOnce(Way way, String sql, Then then) {
        List<JdbiIdempotencyStore> processes =
                List.of(store.get().createTableIfMissing(), store.get().createTableIfMissing());
        jdbi.get().useHandle(handle -> {
            handle.execute("CREATE TABLE IF NOT EXISTS effect (id varchar(255) NOT NULL)");
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
        AtomicInteger runs = new AtomicInteger();
        Consumer<Handle> work = handle -> {
            handle.execute("INSERT INTO effect VALUES ('" + runs.incrementAndGet() + "')");
            handle.execute(sql);
            then.happens(handle);
        };

        Throwable first = catchThrowable(() -> way.call(processes.get(0), work));
        int effects = effects();
        for (int retry = 1; retry <= 5; retry++) {
            JdbiIdempotencyStore process = processes.get(retry % 2);
            Throwable unused = catchThrowable(() -> way.call(process, work));
        }

        assertThat(effects()).isEqualTo(effects).isLessThanOrEqualTo(1);
        if (shows(way, then) && (effects > 0 || then == Then.RETURNS)) {
            assertThat(first).isInstanceOf(OutcomeUnknownException.class).hasMessageContaining("ended the transaction");
            assertThat(((OutcomeUnknownException) first).retryable()).isFalse();
            assertThat(runs).hasValue(1);
        }
    }

    private int effects() {
        return jdbi.get()
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect")
                        .mapTo(Integer.class)
                        .one());
    }
}
