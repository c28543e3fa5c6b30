package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Batches on PostgreSQL: their statements, and what their order is there for. */
class PostgreSqlBatchTest {

    private static final int CALLERS = 2;
    private static final int KEYS = 40;
    private static final Duration LONG = Duration.ofSeconds(20);

    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = TestDatabase.postgresql();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    /** The reason for one order of locks. */
    @Test
    void claimsInOppositeOrdersDeadlock() throws Exception {
        List<Fault> faults = Collections.synchronizedList(new ArrayList<>());
        CyclicBarrier bothHaveTheirFirst = new CyclicBarrier(CALLERS);
        inParallel(caller -> {
            try (Session<Handle> session = database.store().open(TestDatabase.KEY)) {
                session.inTransaction((steps, scope) -> {
                    List<Pending> records = List.of(pending("left"), pending("right"));
                    steps.claimAll(List.of(records.get(caller)), LONG, LONG);
                    await(bothHaveTheirFirst);
                    return steps.claimAll(List.of(records.get(1 - caller)), LONG, LONG);
                });
            } catch (RuntimeException thrown) {
                faults.add(database.store().classify(thrown));
            }
            return true;
        });

        assertThat(faults).containsExactly(Fault.CONFLICT);
    }

    @Test
    void overlappingBatchesInOppositeOrdersDoNotDeadlock() throws Exception {
        Set<Throwable> reruns = ConcurrentHashMap.newKeySet();
        Batch<Handle, String> batch = Batch.inOneTransaction(Idempotency.builder(database.store())
                .listener(IdempotencyListener.on(
                        IdempotencyEvent.Retried.class,
                        event -> reruns.add(event.cause().orElseThrow())))
                .build()
                .operation("overlap", ResultCodec.string())
                .build());
        CyclicBarrier together = new CyclicBarrier(CALLERS);
        for (int round = 0; round < 10; round++) {
            String name = "overlap-" + round + "-";
            List<Attempt> attempts = attempts(name, KEYS);
            List<Attempt> reversed = new ArrayList<>(attempts);
            Collections.reverse(reversed);

            List<List<BatchResult<String>>> answers = inParallel(caller -> {
                await(together);
                return batch.executeEach(caller == 0 ? attempts : reversed, (handle, attempt) -> {
                    int place = caller == 0 ? attempt.index() : KEYS - 1 - attempt.index();
                    handle.execute("INSERT INTO effect VALUES (?)", name + place);
                    return "done";
                });
            });

            assertThat(answers)
                    .allSatisfy(ofOne -> assertThat(ofOne)
                            .allMatch(answer -> answer.asOptional()
                                    .flatMap(Outcome::asOptional)
                                    .isPresent()));
        }
        assertThat(reruns).isEmpty();
        assertThat(effects("overlap")).doesNotHaveDuplicates().hasSize(10 * KEYS);
    }

    /** The library cannot refuse such SQL text. Part of the effect may be committed, so every attempt is unknown. */
    @Test
    void workThatEndsTheTransactionIsUnknownForAll() {
        for (String end : List.of("COMMIT", "ROLLBACK")) {
            for (boolean throwsToo : List.of(false, true)) {
                assertUnknown(batch("ended"), "done", end, throwsToo);
                assertUnknown(batchWithoutResults("ended-without"), Done.DONE, end, throwsToo);
                assertUnknown(batchRecordedLast("ended-last"), "done", end, throwsToo);
            }
        }
    }

    private static <R> void assertUnknown(Batch<Handle, R> batch, R result, String end, boolean throwsToo) {
        AtomicInteger runs = new AtomicInteger();
        List<BatchResult<R>> answers = batch.executeAll(attempts(end + throwsToo, 4), (handle, leading) -> {
            runs.incrementAndGet();
            handle.execute("--\n" + end);
            if (throwsToo) {
                throw new IllegalStateException("after the end");
            }
            return Collections.nCopies(leading.size(), result);
        });

        assertThat(answers)
                .allMatch(answer -> answer.<Boolean>fold(outcome -> false, OutcomeUnknownException.class::isInstance));
        assertThat(runs).hasValue(1);
    }

    private static Batch<Handle, Done> batchWithoutResults(String name) {
        return Batch.inOneTransaction(
                Idempotency.on(database.store()).operation(name).build());
    }

    private static Batch<Handle, String> batchRecordedLast(String name) {
        return Batch.inOneTransaction(Idempotency.on(database.named().checkTable())
                .operation(name, ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST)
                .build());
    }

    private static Batch<Handle, String> batch(String name) {
        return Batch.inOneTransaction(Idempotency.on(database.store())
                .operation(name, ResultCodec.string())
                .build());
    }

    /** BEGIN is sent with the claims. */
    @Test
    void batchCostsTheSameRoundTripsWhateverItsSize() {
        try (CuttingProxy proxy = CuttingProxy.inFrontOf(database.url());
                TestDatabase counted = database.with(proxy.jdbcUrl(), config -> config.setMaximumPoolSize(1))) {
            Batch<Handle, String> batch = Batch.inOneTransaction(Idempotency.on(counted.store())
                    .operation("round-trips", ResultCodec.string())
                    .build());
            for (String run : List.of("a", "b", "c", "d", "e", "f", "g")) {
                executeAll(batch, run, 3);
            }
            proxy.resetCounts();
            executeAll(batch, "ten", 10);
            int ten = proxy.roundTrips();
            executeAll(batch, "hundred", 100);
            int hundred = proxy.roundTrips() - ten;

            assertThat(hundred).isEqualTo(ten).isLessThanOrEqualTo(5);

            Batch<Handle, Done> withoutResults = Batch.inOneTransaction(
                    Idempotency.on(counted.store()).operation("without").build());
            proxy.resetCounts();
            assertThat(withoutResults.executeAll(
                            attempts("without", 100), (handle, leading) -> Collections.nCopies(100, Done.DONE)))
                    .allMatch(answer -> answer.asOptional().isPresent());
            assertThat(proxy.roundTrips()).isEqualTo(hundred - 1);
        }
    }

    private static void executeAll(Batch<Handle, String> batch, String name, int number) {
        List<BatchResult<String>> answers = batch.executeAll(
                attempts(name, number), (handle, leading) -> Collections.nCopies(leading.size(), "done"));
        assertThat(answers).allMatch(answer -> answer.asOptional().isPresent());
    }

    private static List<Attempt> attempts(String name, int number) {
        return IntStream.range(0, number)
                .mapToObj(i -> Attempt.inScope("user:1").key(name + "-" + i).withoutRequest())
                .toList();
    }

    private static Pending pending(String value) {
        return new Pending(
                IdempotencyKey.inScope("user:1").operation("deadlock").value(value),
                Protocol.SINGLE_TRANSACTION,
                UUID.randomUUID(),
                Fingerprint.ofParts(),
                Optional.empty(),
                Duration.ZERO);
    }

    private static List<String> effects(String like) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT id FROM effect WHERE id LIKE ?")
                        .bind(0, like + "%")
                        .mapTo(String.class)
                        .list());
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception thrown) {
            throw new AssertionError("The other caller did not come", thrown);
        }
    }

    private interface Caller<T> {
        T call(int number) throws Exception;
    }

    private static <T> List<T> inParallel(Caller<T> caller) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Callable<T>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int number = i;
                calls.add(() -> caller.call(number));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(calls)) {
                answers.add(future.get());
            }
            return answers;
        } finally {
            threads.shutdown();
        }
    }
}
