package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The turn of a key, which one process at a time has, and which decides who works. */
@Tag("thorough")
@Timeout(60)
class TurnTest extends BothDatabases {

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final ExecutorService callers = Executors.newCachedThreadPool();
    private final String key = "key-" + KEYS.incrementAndGet();
    private final AtomicInteger runs = new AtomicInteger();
    private final CountDownLatch works = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = database(Kind.POSTGRESQL);
    }

    @AfterEach
    void release() {
        mayEnd.countDown();
        callers.shutdownNow();
    }

    /** A store as another process has it. */
    private static JdbcStoreBuilder<JdbiIdempotencyStore> process(Kind kind) {
        return database(kind).dialect(database(kind).jdbi()).toBuilder().table(TestDatabase.TABLE);
    }

    private static Operation.Builder<Handle, String> takingTurns() {
        return operation(process(Kind.POSTGRESQL).turnAcrossProcesses(true).build());
    }

    private static Operation.Builder<Handle, String> operation(JdbiIdempotencyStore store) {
        return Idempotency.on(store.checkTable())
                .operation("turns", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST);
    }

    private Attempt attempt() {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    /** A call that works until it may end. */
    private Future<Outcome<String>> leader(Operation.Builder<Handle, String> builder, Consumer<Handle> first) {
        Operation<Handle, String> operation = builder.build();
        return callers.submit(() -> operation.execute(attempt(), handle -> {
            first.accept(handle);
            TestDatabase.write(handle, key);
            works.countDown();
            mayEnd.await();
            return "result";
        }));
    }

    private Outcome<String> call(Operation.Builder<Handle, String> builder) {
        return builder.build().execute(attempt(), handle -> {
            TestDatabase.write(handle, key);
            return "run " + runs.incrementAndGet();
        });
    }

    private void commitsOnce(Future<Outcome<String>> leader) throws Exception {
        mayEnd.countDown();
        assertThat(leader.get(20, SECONDS)).isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects().stream().filter(key::equals)).hasSize(1);
    }

    // ---- who works -----------------------------------------------------------------------------------------------

    @Test
    void duplicateOfAnotherProcessIsInProgressAndDoesNotWork() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();

        assertThat(call(takingTurns())).isInstanceOf(Outcome.InProgress.class);

        assertThat(runs).hasValue(0);
        commitsOnce(leader);
    }

    @ParameterizedTest
    @ValueSource(strings = {"SAVEPOINT before; ROLLBACK TO before", "SET LOCAL search_path TO pg_temp, public"})
    void turnLastsUntilItsTransactionEndsWhateverTheWorkDoes(String sql) throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {
            for (String statement : sql.split("; ", -1)) {
                handle.execute(statement);
            }
        });
        works.await();

        assertThat(call(takingTurns())).isInstanceOf(Outcome.InProgress.class);

        commitsOnce(leader);
    }

    /** It has asked for its turn before the leader commits, and looks at the record after that. */
    @Test
    void callerThatWaitsReplaysWithoutWork() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch mayLook = new CountDownLatch(1);
        Operation.Builder<Handle, String> patient = Idempotency.builder(process(Kind.POSTGRESQL)
                        .turnAcrossProcesses(true)
                        .build()
                        .checkTable())
                .clock(sleeping(waits, mayLook))
                .build()
                .operation("turns", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST)
                .waitAtMost(Duration.ofSeconds(20));

        Future<Outcome<String>> follower = callers.submit(() -> call(patient));
        waits.await();
        commitsOnce(leader);
        mayLook.countDown();

        assertThat(follower.get(20, SECONDS))
                .isEqualTo(new Outcome.Replayed<>(attempt().keyFor("turns"), "result"));
        assertThat(runs).hasValue(0);
    }

    private static IdempotencyClock sleeping(CountDownLatch begins, CountDownLatch ends) {
        IdempotencyClock system = IdempotencyClock.system();
        return new IdempotencyClock() {
            @Override
            public Instant now() {
                return system.now();
            }

            @Override
            public void sleep(Duration pause) throws InterruptedException {
                begins.countDown();
                ends.await();
            }
        };
    }

    @Test
    void tableHasOneTurnForEachKeyHoweverItsNameIsWritten() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();

        assertThat(call(operation(process(Kind.POSTGRESQL)
                        .table(TestDatabase.TABLE.toUpperCase(Locale.ROOT))
                        .turnAcrossProcesses(true)
                        .build())))
                .isInstanceOf(Outcome.InProgress.class);

        commitsOnce(leader);
    }

    @Test
    void otherKeysHaveTurnsOfTheirOwn() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();

        Outcome<String> other =
                takingTurns().build().execute(Attempt.inScope("user:2").key(key).request("request"), handle -> "other");

        assertThat(other).isInstanceOf(Outcome.Executed.class);
        commitsOnce(leader);
    }

    @Test
    void otherTablesHaveTurnsOfTheirOwn() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();
        JdbiIdempotencyStore other = process(Kind.POSTGRESQL)
                .table("public.record_of_another")
                .turnAcrossProcesses(true)
                .build()
                .createTableIfMissing();

        assertThat(operation(other).build().execute(attempt(), handle -> "other"))
                .isInstanceOf(Outcome.Executed.class);

        database.jdbi().useHandle(handle -> handle.execute("DROP TABLE public.record_of_another"));
        commitsOnce(leader);
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void turnIsTakenUnderEachIsolation(Isolation isolation) throws Exception {
        JdbiIdempotencyStore strict = process(Kind.POSTGRESQL)
                .turnAcrossProcesses(true)
                .isolation(isolation)
                .build();
        Future<Outcome<String>> leader = leader(operation(strict), handle -> {});
        works.await();

        assertThat(call(operation(process(Kind.POSTGRESQL)
                        .turnAcrossProcesses(true)
                        .isolation(isolation)
                        .build())))
                .isInstanceOf(Outcome.InProgress.class);

        commitsOnce(leader);
        assertThat(call(operation(strict))).isInstanceOf(Outcome.Replayed.class);
    }

    // ---- what it does not decide ---------------------------------------------------------------------------------

    @Test
    void nodesWithAndWithoutTurnsShareATable() throws Exception {
        Future<Outcome<String>> leader = leader(takingTurns(), handle -> {});
        works.await();
        Operation.Builder<Handle, String> without =
                operation(process(Kind.POSTGRESQL).build());

        assertThat(call(without)).isInstanceOf(Outcome.Executed.class);

        mayEnd.countDown();
        assertThat(leader.get(20, SECONDS)).isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects().stream().filter(key::equals)).hasSize(1);
    }

    /** As one that committed before this one asked for its turn, and after it looked. */
    @Test
    void turnOfALateDuplicateProvesNothing() {
        assertThat(call(takingTurns())).isInstanceOf(Outcome.Executed.class);

        assertThat(call(takingTurns()))
                .isEqualTo(new Outcome.Replayed<>(attempt().keyFor("turns"), "run 1"));

        assertThat(database.effects().stream().filter(key::equals)).hasSize(1);
    }

    @Test
    void batchesTakeNoTurns() {
        Operation<Handle, String> operation = takingTurns().build();
        List<Attempt> attempts =
                List.of(attempt(), Attempt.inScope("user:2").key(key).request("request"));

        List<String> locks = Batch.inOneTransaction(operation)
                .executeEach(attempts, (handle, attempt) -> Long.toString(advisoryLocks(handle)))
                .stream()
                .map(answer -> answer.orElseThrow().orElseThrow())
                .toList();

        assertThat(locks).containsOnly("0");
    }

    private static long advisoryLocks(Handle handle) {
        return handle.select("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
                .mapTo(Long.class)
                .one();
    }

    @Test
    void transactionHasOneLock() {
        Operation<Handle, String> operation = takingTurns().build();

        assertThat(operation
                        .execute(attempt(), handle -> Long.toString(advisoryLocks(handle)))
                        .orElseThrow())
                .isEqualTo("1");
    }

    // ---- refusals ------------------------------------------------------------------------------------------------

    @Test
    void databaseWithoutTurnsIsRefusedWhenTheTableIsChecked() {
        JdbiIdempotencyStore store = process(Kind.H2).turnAcrossProcesses(true).build();

        assertThatThrownBy(store::checkTable)
                .isInstanceOf(MisuseException.class)
                .hasMessageContaining("turnAcrossProcesses(true)")
                .hasMessageContaining("use PostgreSQL, or remove the option");
    }

    /** In a database of its own, past any gateway: that would hand the role on with the connection. */
    @Test
    void errorOfTheTurnIsNoFailureOfTheAttempt() {
        try (TestDatabase own = TestDatabase.postgresql(PostgresServer.shared().createDatabase(), config -> {})) {
            own.jdbi().useHandle(handle -> {
                handle.execute("CREATE ROLE without_turns");
                handle.execute("GRANT USAGE ON SCHEMA public TO without_turns");
                handle.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO without_turns");
                handle.execute("REVOKE EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_xact_lock(bigint) FROM PUBLIC");
            });
            try (TestDatabase restricted = own.with(config -> config.setConnectionInitSql("SET ROLE without_turns"))) {
                startsNothing(restricted.store().toBuilder().table(TestDatabase.TABLE));
            } finally {
                own.jdbi().useHandle(handle -> handle.execute("DROP OWNED BY without_turns"));
                own.jdbi().useHandle(handle -> handle.execute("DROP ROLE without_turns"));
            }
        }
    }

    private void startsNothing(JdbcStoreBuilder<JdbiIdempotencyStore> store) {
        assertThatThrownBy(store.turnAcrossProcesses(true).build()::checkTable)
                .hasMessageContaining("Could not check table")
                .hasStackTraceContaining("pg_try_advisory_xact_lock");
        JdbiIdempotencyStore checked = store.turnAcrossProcesses(false).build().checkTable();

        assertThatThrownBy(() -> call(
                        unchecked(checked.toBuilder().turnAcrossProcesses(true).build())))
                .isInstanceOf(NotStartedException.class)
                .hasStackTraceContaining("pg_try_advisory_xact_lock");

        assertThat(call(unchecked(checked)))
                .isEqualTo(new Outcome.Executed<>(attempt().keyFor("turns"), "run 1"));
    }

    private static Operation.Builder<Handle, String> unchecked(JdbiIdempotencyStore store) {
        return Idempotency.on(store).operation("turns", ResultCodec.string()).protocol(Operation.Protocol.RECORD_LAST);
    }
}
