package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.SQLException;
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
 * Work that ends its transaction by SQL text. What it has committed cannot be undone, so its key must keep a record
 * that is never run again: by no retry, no other process, and not after the grace period.
 */
@Timeout(120)
abstract class EndedTransactionContract {

    private static final Duration GRACE = Duration.ofMillis(1);

    /** Databases interpret such a comment differently, so the check of SQL text lets it pass. */
    private static final String UNSURE = "--\n";

    private final Supplier<Jdbi> jdbi;
    private final Supplier<JdbiIdempotencyStore> store;
    private final List<String> endings;

    /**
     * Creates the contract.
     *
     * @param store creates a store, as each process has its own
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

        private Operation.Builder<Handle, String> operation(Idempotency<Handle> process) {
            Operation.Builder<Handle, String> builder = process.operation("operation", ResultCodec.string());
            return switch (this) {
                case SINGLE, SINGLE_PLANNED ->
                    builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).waitAtMost(GRACE);
                case SINGLE_RELEASED ->
                    builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                            .waitAtMost(GRACE)
                            .releaseOn(thrown -> true);
                case RECORD_LAST -> builder.protocol(Operation.Protocol.RECORD_LAST);
                case CLAIM_FIRST_TAKEN_OVER -> builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE);
                case BATCH -> builder.waitAtMost(GRACE);
                default -> builder.whenAbandoned(Operation.Abandoned.FAIL, GRACE);
            };
        }

        Outcome<String> call(Idempotency<Handle> process, String key, Consumer<Handle> work) {
            Attempt attempt = Attempt.inScope("user:1").key(key).request("request");
            Operation.Builder<Handle, String> builder = operation(process);
            return switch (this) {
                case CLAIM_FIRST_PLANNED, SINGLE_PLANNED ->
                    builder.planned().build().execute(attempt, () -> "result", (handle, plan) -> work.accept(handle));
                case BATCH ->
                    Batch.inOneTransaction(builder.build())
                            .executeAll(List.of(attempt), (handle, attempts) -> {
                                work.accept(handle);
                                return List.of("result");
                            })
                            .get(0)
                            .orElseThrow();
                default ->
                    builder.build().execute(attempt, handle -> {
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

    /** How the work sends its statements. */
    void execute(Handle handle, String sql) {
        handle.execute(sql);
    }

    /** Whether the database reveals it. Record last does not name its transaction. */
    boolean shows(Way way, String ending, Then then) throws SQLException {
        return true;
    }

    @TestFactory
    Stream<DynamicTest> workThatHasEndedItsTransactionIsNeverRunAgain() {
        if (endings.isEmpty()) {
            return Stream.empty();
        }
        List<Idempotency<Handle>> processes = List.of(
                Idempotency.on(store.get().createTableIfMissing()),
                Idempotency.on(store.get().createTableIfMissing()));
        jdbi.get().useHandle(handle -> {
            handle.execute("CREATE TABLE IF NOT EXISTS effect (id varchar(255) NOT NULL)");
            handle.execute("DELETE FROM effect");
        });
        return Stream.of(Way.values())
                .flatMap(way -> endings.stream()
                        .flatMap(ending -> Stream.of(Then.values())
                                .map(then -> dynamicTest(
                                        way + ", " + ending + ", " + then,
                                        () -> runsOnce(processes, way, ending, then)))));
    }

    private void runsOnce(List<Idempotency<Handle>> processes, Way way, String ending, Then then) throws SQLException {
        String key = getClass().getSimpleName() + way + endings.indexOf(ending) + then;
        AtomicInteger runs = new AtomicInteger();
        Consumer<Handle> work = handle -> {
            runs.incrementAndGet();
            execute(handle, "INSERT INTO effect VALUES ('" + key + "')");
            execute(handle, UNSURE + ending);
            then.happens(handle);
        };

        Throwable first = catchThrowable(() -> way.call(processes.get(0), key, work));
        int effects = effects(key);
        for (int retry = 1; retry <= 5; retry++) {
            Idempotency<Handle> process = processes.get(retry % 2);
            Throwable unused = catchThrowable(() -> way.call(process, key, work));
        }

        // Record last works before it encounters a record: each process that has not seen the key works once.
        int mostRuns = way == Way.RECORD_LAST ? processes.size() : 1;
        assertThat(effects(key)).isLessThanOrEqualTo(mostRuns);
        if (shows(way, ending, then) && (effects > 0 || then == Then.RETURNS)) {
            assertThat(first).isInstanceOf(OutcomeUnknownException.class).hasMessageContaining("ended the transaction");
            assertThat(((OutcomeUnknownException) first).isRetryable()).isFalse();
            assertThat(runs).hasValueLessThanOrEqualTo(mostRuns);
        }
    }

    private int effects(String key) {
        return jdbi.get()
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect WHERE id = :id")
                        .bind("id", key)
                        .mapTo(Integer.class)
                        .one());
    }
}
