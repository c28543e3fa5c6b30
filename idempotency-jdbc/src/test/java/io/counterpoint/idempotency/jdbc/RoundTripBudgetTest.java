package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often PostgreSQL is asked, counted by what passes a proxy; often enough for the driver to name its statements. */
@Timeout(60)
class RoundTripBudgetTest {

    /** Three inserts and the commit. */
    private static final int DOMAIN = 4;

    private static final int CALLS = 8;

    private final AtomicInteger keys = new AtomicInteger();
    private TestDatabase direct;
    private CuttingProxy proxy;
    private TestDatabase database;
    private Idempotency<Handle> idempotency;

    @BeforeEach
    void open() {
        direct = TestDatabase.postgresql();
        proxy = CuttingProxy.inFrontOf(direct.url());
        database = direct.with(proxy.jdbcUrl(), config -> config.setMaximumPoolSize(1));
        idempotency = Idempotency.on(database.store());
        // The first call of a store asks which database it is.
        assertThat(database.store().read(TestDatabase.KEY)).isEmpty();
    }

    @AfterEach
    void close() {
        database.close();
        proxy.close();
        direct.close();
    }

    @Test
    void unprotectedDomainIsTheFloor() {
        assertThat(each(() -> database.jdbi().useTransaction(this::domain))).isEqualTo(DOMAIN);
    }

    @Test
    void singleTransactionWithPlanCostsOneMore() {
        PlannedOperation<Handle, String> operation = idempotency
                .operation("planned", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .planned()
                .build();
        assertThat(each(() -> assertThat(execute(operation, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 1);
    }

    @Test
    void singleTransactionWithoutPlanCostsOneMoreToo() {
        Operation<Handle, String> operation = idempotency
                .operation("unplanned", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
        assertThat(each(() -> assertThat(execute(operation, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 1);
    }

    @Test
    void recordLastCostsNoneMore() {
        Operation.Builder<Handle, String> builder = Idempotency.on(
                        database.named().checkTable())
                .operation("record-last", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST);
        Operation<Handle, String> operation = builder.build();
        PlannedOperation<Handle, String> planned = builder.planned().build();
        assertThat(each(() -> assertThat(execute(operation, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN);
        assertThat(each(() -> assertThat(execute(planned, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN);
        String key = freshKey();
        assertThat(execute(operation, key)).isInstanceOf(Outcome.Executed.class);
        assertThat(each(() -> assertThat(execute(operation, key)).isInstanceOf(Outcome.Replayed.class)))
                .isEqualTo(1);
    }

    /** The read of all keys. The inserts are sent with the COMMIT, however many they are. */
    @Test
    void batchThatRecordsLastCostsOneMore() {
        Batch<Handle, String> batch =
                Batch.inOneTransaction(Idempotency.on(database.named().checkTable())
                        .operation("batch", ResultCodec.string())
                        .protocol(Operation.Protocol.RECORD_LAST)
                        .build());
        for (int size : List.of(2, 200)) {
            assertThat(each(() -> {
                        List<Attempt> attempts = Stream.generate(() -> attempt(freshKey()))
                                .limit(size)
                                .toList();
                        assertThat(batch.executeAll(attempts, (handle, leading) -> {
                                    domain(handle);
                                    return Collections.nCopies(leading.size(), "done");
                                }))
                                .allMatch(answer -> answer.orElseThrow() instanceof Outcome.Executed);
                    }))
                    .isEqualTo(DOMAIN + 1);
        }
    }

    @Test
    void turnCostsOneMoreAndADuplicateWithoutOneCostsTwo() throws Exception {
        Operation<Handle, String> operation = takingTurns(database);
        assertThat(each(() -> assertThat(execute(operation, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 1);

        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Operation<Handle, String> leading = takingTurns(direct);
        FutureTask<Outcome<String>> leader = new FutureTask<>(() -> leading.execute(attempt("taken"), handle -> {
            works.countDown();
            mayEnd.await();
            return "done";
        }));
        new Thread(leader).start();
        works.await();
        // A call of its own process each: this one would remember the key.
        Iterator<Operation<Handle, String>> others = Stream.generate(() -> takingTurns(database))
                .limit(CALLS)
                .toList()
                .iterator();
        assertThat(each(() -> assertThat(execute(others.next(), "taken")).isInstanceOf(Outcome.InProgress.class)))
                .isEqualTo(2);
        mayEnd.countDown();
        assertThat(leader.get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
    }

    private static Operation<Handle, String> takingTurns(TestDatabase database) {
        return Idempotency.on(database.named().checkTable().toBuilder()
                        .turnAcrossProcesses(true)
                        .build())
                .operation("turns", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST)
                .waitAtMost(Duration.ofNanos(1))
                .build();
    }

    @Test
    void claimFirstCostsOneMore() {
        claimFirstCostsOneMore(idempotency);
    }

    @Test
    void claimFirstCostsOneMoreThroughAnotherViewOfTheHandle() {
        claimFirstCostsOneMore(Idempotency.on(database.store().mapped(Function.identity())));
    }

    private void claimFirstCostsOneMore(Idempotency<Handle> through) {
        Operation.Builder<Handle, String> builder = through.operation("claim-first", ResultCodec.string());
        Operation<Handle, String> operation = builder.build();
        PlannedOperation<Handle, String> planned = builder.planned().build();
        assertThat(each(() -> assertThat(execute(operation, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 1);
        assertThat(each(() -> assertThat(execute(planned, freshKey())).isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 1);
    }

    @Test
    void externalCostsClaimAndMark() {
        ExternalOperation<String> operation = idempotency
                .external("external", ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        assertThat(each(() -> assertThat(operation.execute(attempt(freshKey()), key -> "done"))
                        .isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(2);
    }

    /** The follow-up is the domain, and its mark goes with the COMMIT. */
    @Test
    void followUpOfAnExternalEffectCostsClaimAndLock() {
        ExternalOperation<String> operation = idempotency
                .external("external-then", ResultCodec.string(), unresolved -> Lookup.notYet())
                .then((handle, key, result) -> domain(handle))
                .build();
        assertThat(each(() -> assertThat(operation.execute(attempt(freshKey()), key -> "done"))
                        .isInstanceOf(Outcome.Executed.class)))
                .isEqualTo(DOMAIN + 2);
    }

    @Test
    void replayOfAKeyThatWasMetCostsOneUnderEveryProtocol() {
        for (Operation<Handle, String> operation : claimFirstAndSingleTransaction(idempotency)) {
            String key = freshKey();
            assertThat(execute(operation, key)).isInstanceOf(Outcome.Executed.class);
            assertThat(each(() -> assertThat(execute(operation, key)).isInstanceOf(Outcome.Replayed.class)))
                    .isEqualTo(1);
        }
    }

    @Test
    void replayOfAnotherProcessesKeyCostsTwoAndATransactionEnd() {
        List<Operation<Handle, String>> operations = claimFirstAndSingleTransaction(idempotency);
        String[] keys = new String[operations.size()];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = freshKey();
            assertThat(execute(operations.get(i), keys[i])).isInstanceOf(Outcome.Executed.class);
            int at = i;
            assertThat(each(() -> assertThat(execute(
                                    claimFirstAndSingleTransaction(Idempotency.on(database.store()))
                                            .get(at),
                                    keys[at]))
                            .isInstanceOf(Outcome.Replayed.class)))
                    .isEqualTo(2 + i);
        }
    }

    @Test
    void durableReplayCostsOneMore() {
        Idempotency<Handle> durable =
                Idempotency.on(database.store().toBuilder().durableReplays(true).build());
        for (Operation<Handle, String> operation : claimFirstAndSingleTransaction(durable)) {
            String key = freshKey();
            assertThat(execute(operation, key)).isInstanceOf(Outcome.Executed.class);
            assertThat(each(() -> assertThat(execute(operation, key)).isInstanceOf(Outcome.Replayed.class)))
                    .isEqualTo(2);
        }
    }

    private static List<Operation<Handle, String>> claimFirstAndSingleTransaction(Idempotency<Handle> idempotency) {
        return List.of(
                idempotency.operation("claim-first", ResultCodec.string()).build(),
                idempotency
                        .operation("single", ResultCodec.string())
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build());
    }

    /** The round trips of one call, the same for each of several. */
    private int each(Runnable call) {
        int[] counts = new int[CALLS];
        for (int i = 0; i < CALLS; i++) {
            proxy.resetCounts();
            call.run();
            counts[i] = proxy.roundTrips();
        }
        assertThat(counts).as("statements: %s", proxy.statements()).containsOnly(counts[CALLS - 1]);
        return counts[CALLS - 1];
    }

    private Outcome<String> execute(Operation<Handle, String> operation, String key) {
        return operation.execute(attempt(key), handle -> {
            domain(handle);
            return "done";
        });
    }

    private Outcome<String> execute(PlannedOperation<Handle, String> operation, String key) {
        return operation.execute(attempt(key), () -> "done", (handle, plan) -> domain(handle));
    }

    private void domain(Handle handle) {
        TestDatabase.write(handle, "group");
        TestDatabase.write(handle, "membership");
        TestDatabase.write(handle, "conversation");
    }

    private String freshKey() {
        return "key-" + keys.incrementAndGet();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }
}
