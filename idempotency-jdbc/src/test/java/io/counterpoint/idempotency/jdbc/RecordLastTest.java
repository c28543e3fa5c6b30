package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A record that is inserted with the commit, where only a database can show what becomes of it. */
@Timeout(60)
class RecordLastTest extends BothDatabases {

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final String key = "key-" + KEYS.incrementAndGet();

    @AfterEach
    void release() {
        callers.shutdownNow();
    }

    /** A store as another process has it: callers of one store wait for each other. */
    private static JdbiIdempotencyStore process(Kind kind) {
        return unchecked(kind).checkTable();
    }

    private static JdbiIdempotencyStore unchecked(Kind kind) {
        return database(kind).dialect(database(kind).jdbi()).toBuilder()
                .table(TestDatabase.TABLE)
                .build();
    }

    private static Operation.Builder<Handle, String> builder(JdbiIdempotencyStore store) {
        return Idempotency.on(store)
                .operation("record-last", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST);
    }

    private Outcome<String> write(Operation<Handle, String> operation, String result) {
        return operation.execute(attempt(), handle -> {
            TestDatabase.write(handle, result);
            return result;
        });
    }

    private Attempt attempt() {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private long records(Kind kind) {
        return database(kind)
                .jdbi()
                .withHandle(handle -> handle.select(
                                "SELECT count(*) FROM public.idempotency_record WHERE key_value = ?", key)
                        .mapTo(Long.class)
                        .one());
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Kind.class)
    void operationIsRefusedUntilTheTableIsChecked(Kind kind) {
        JdbiIdempotencyStore store = unchecked(kind);
        assertThatThrownBy(() -> builder(store).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("checkTable()");

        assertThat(builder(store.checkTable()).build()).isNotNull();
        assertThat(builder(store.toBuilder().isolation(Isolation.SERIALIZABLE).build())
                        .build())
                .isNotNull();
        assertThatThrownBy(() -> builder(
                                store.toBuilder().table("public.another_table").build())
                        .build())
                .hasMessageContaining("checkTable()");
    }

    @Test
    void recordGoesToTheTableThatIsNamedWhateverTheWorkDoesToItsSearchPath() {
        database(Kind.POSTGRESQL).jdbi().useHandle(handle -> {
            handle.execute("CREATE SCHEMA elsewhere");
            handle.execute("CREATE TABLE elsewhere.idempotency_record (LIKE public.idempotency_record INCLUDING ALL)");
        });
        Operation<Handle, String> operation = builder(process(Kind.POSTGRESQL)).build();

        assertThat(operation.execute(attempt(), handle -> {
                    handle.execute("SET LOCAL search_path TO elsewhere");
                    return "result";
                }))
                .isInstanceOf(Outcome.Executed.class);

        assertThat(records(Kind.POSTGRESQL)).isEqualTo(1);
    }

    // ---- rivals --------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource(Kind.class)
    void secondOfTwoProcessesAtWorkIsRolledBackAndReplays(Kind kind) throws Exception {
        assertThat(second(kind, builder(process(kind)).build())).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE_READ", "SERIALIZABLE"})
    void secondOfTwoProcessesReplaysUnderStricterIsolationToo(String level) throws Exception {
        JdbiIdempotencyStore strict = process(Kind.POSTGRESQL).toBuilder()
                .isolation(Isolation.valueOf(level))
                .build();

        assertThat(second(Kind.POSTGRESQL, builder(strict).build())).isInstanceOf(Outcome.Replayed.class);
    }

    /** The key's constraint has another name in each partition. */
    @Test
    void secondOfTwoProcessesReplaysFromAPartitionedTableToo() throws Exception {
        database(Kind.POSTGRESQL).jdbi().useHandle(handle -> {
            handle.execute("CREATE TABLE partitioned_record (LIKE public.idempotency_record,"
                    + " PRIMARY KEY (key_value, scope, operation)) PARTITION BY HASH (key_value)");
            for (int i = 0; i < 2; i++) {
                handle.execute("CREATE TABLE partition_" + i + " PARTITION OF partitioned_record"
                        + " FOR VALUES WITH (MODULUS 2, REMAINDER " + i + ")");
            }
        });

        assertThat(second(
                        Kind.POSTGRESQL,
                        builder(partitioned()).build(),
                        builder(partitioned()).build()))
                .isInstanceOf(Outcome.Replayed.class);
    }

    private static JdbiIdempotencyStore partitioned() {
        return process(Kind.POSTGRESQL).toBuilder()
                .table("public.partitioned_record")
                .build()
                .checkTable();
    }

    /** The outcome of a call whose work ends after another process has committed. */
    private Outcome<String> second(Kind kind, Operation<Handle, String> operation) throws Exception {
        return second(kind, operation, builder(process(kind)).build());
    }

    private Outcome<String> second(Kind kind, Operation<Handle, String> operation, Operation<Handle, String> other)
            throws Exception {
        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<Outcome<String>> second = callers.submit(() -> operation.execute(attempt(), handle -> {
            TestDatabase.write(handle, key + " second");
            works.countDown();
            mayEnd.await();
            return "second";
        }));
        works.await();
        assertThat(write(other, key + " first")).isInstanceOf(Outcome.Executed.class);
        mayEnd.countDown();

        Outcome<String> outcome = second.get(20, SECONDS);
        assertThat(outcome.orElseThrow()).isEqualTo(key + " first");
        assertThat(database(kind).effects()).contains(key + " first").doesNotContain(key + " second");
        return outcome;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void callerWithoutATurnIsInProgressAndDoesNotWork(Kind kind) throws Exception {
        Operation<Handle, String> operation =
                builder(process(kind)).waitAtMost(Duration.ofMillis(1)).build();
        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Future<Outcome<String>> leader = callers.submit(() -> operation.execute(attempt(), handle -> {
            works.countDown();
            mayEnd.await();
            return "result";
        }));
        works.await();
        AtomicInteger runs = new AtomicInteger();

        Outcome<String> follower = operation.execute(attempt(), handle -> "run " + runs.incrementAndGet());

        assertThat(follower).isInstanceOf(Outcome.InProgress.class);
        assertThat(runs).hasValue(0);
        mayEnd.countDown();
        assertThat(leader.get(20, SECONDS)).isInstanceOf(Outcome.Executed.class);
        assertThat(operation.execute(attempt(), handle -> "run " + runs.incrementAndGet()))
                .isInstanceOf(Outcome.Replayed.class);
        assertThat(runs).hasValue(0);
    }

    // ---- constraints of the domain -------------------------------------------------------------------------------

    @Test
    void deferredConstraintOfTheDomainIsTheWorksOwnFailure() {
        database(Kind.POSTGRESQL)
                .jdbi()
                .useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS seat"
                        + " (id varchar(20), CONSTRAINT one_guest UNIQUE (id) DEFERRABLE INITIALLY DEFERRED)"));
        Operation<Handle, String> operation = builder(process(Kind.POSTGRESQL)).build();

        assertThatThrownBy(() -> operation.execute(attempt(), handle -> {
                    handle.execute("INSERT INTO seat VALUES (?), (?)", key, key);
                    return "result";
                }))
                .hasStackTraceContaining("one_guest");

        assertThat(operation.execute(attempt(), handle -> "again")).isInstanceOf(Outcome.Rejected.class);
    }

    // ---- the end of the transaction ------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({"POSTGRESQL, COMMIT, 1", "POSTGRESQL, ROLLBACK, 0", "H2, COMMIT, 1", "H2, ROLLBACK, 0"})
    void workThatEndsItsTransactionIsUnknown(Kind kind, String sql, int effects) {
        Operation<Handle, String> operation = builder(process(kind)).build();

        assertThatThrownBy(() -> writeAndEnd(operation, sql))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("a record under which nothing runs again");

        assertThat(records(kind)).isEqualTo(1);
        assertThat(effectsOfThisKey(kind)).hasSize(effects);
    }

    private Outcome<String> writeAndEnd(Operation<Handle, String> operation, String sql) {
        return operation.execute(attempt(), handle -> {
            TestDatabase.write(handle, key);
            handle.execute("--\n" + sql);
            return "result";
        });
    }

    private List<String> effectsOfThisKey(Kind kind) {
        return database(kind).effects().stream().filter(key::equals).toList();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void workThatEndsItsTransactionAndThrowsIsUnknown(Kind kind) {
        Operation<Handle, String> operation = builder(process(kind)).build();
        IOException thrown = new IOException("after the commit");

        assertThatThrownBy(() -> operation.execute(attempt(), handle -> {
                    TestDatabase.write(handle, key);
                    handle.execute("--\nCOMMIT");
                    throw thrown;
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown)
                .hasMessageContaining("a record under which nothing runs again");

        assertThat(records(kind)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void workWithoutAStatementIsExecuted(Kind kind) {
        Operation<Handle, String> operation = builder(process(kind)).build();

        for (String outcome : List.of("Executed", "Replayed")) {
            assertThat(operation
                            .execute(attempt(), handle -> "result")
                            .getClass()
                            .getSimpleName())
                    .isEqualTo(outcome);
        }
    }
}
