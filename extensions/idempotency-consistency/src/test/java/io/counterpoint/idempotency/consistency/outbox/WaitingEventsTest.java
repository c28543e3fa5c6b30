package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Events that wait behind another of their key: whatever meets, none of them waits for ever. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class WaitingEventsTest {

    private static final String TOPIC = "search";

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final Outbox outbox = Outbox.create();
    private final CountDownLatch delivered = new CountDownLatch(1);
    private Thread first = new Thread();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.jdbi().useHandle(outbox::createTableIfMissing);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eventIsNotPutBehindOneThatIsPublishedMeanwhile() throws Exception {
        deliverTheFirst();
        before(" AND seq < :seq", () -> {
            delivered.countDown();
            first.join();
        });
        publishAll();
        assertThat(taken).containsExactly("first", "second", "third");
    }

    /** Its mark waits until the second event is behind the first. */
    @Test
    void eventThatIsPutBehindAnotherIsDueAfterItsMark() throws Exception {
        deliverTheFirst();
        before("due_at = NULL WHERE seq IN", () -> {
            delivered.countDown();
            while (first.isAlive() && !database.isAWriterWaiting()) {
                LockSupport.parkNanos(1_000_000);
            }
        });
        publishAll();
        first.join();
        publishAll();
        assertThat(taken).containsExactly("first", "second", "third");
    }

    /** An operator's transaction has the event in front, and more than one batch waits behind it. */
    @Test
    void frontThatIsLockedHoldsBackItsOwnKeyAndNoOther() {
        OutboxEvent parked = OutboxEvent.ordered(TOPIC, "key", "parked");
        append(parked);
        database.execute("UPDATE outbox_event SET parked_at = appended_at, due_at = NULL");
        for (int i = 0; i < 25; i++) {
            append(OutboxEvent.ordered(TOPIC, "key", "behind"));
        }
        append(OutboxEvent.ordered(TOPIC, "another key", "other"), OutboxEvent.of(TOPIC, "without a key"));
        try (Handle operator = database.jdbi().open()) {
            operator.begin();
            assertThat(outbox.retry(operator, parked.id())).isTrue();
            publishAll();
            assertThat(taken).containsExactlyInAnyOrder("other", "without a key");
            operator.rollback();
        }
    }

    /** Its snapshot would not have the events that came after it began. */
    @ParameterizedTest
    @EnumSource(names = {"REPEATABLE_READ", "SERIALIZABLE"})
    void eventIsNotDiscardedInATransactionThatDoesNotSeeThoseThatWait(TransactionIsolationLevel level) {
        OutboxEvent parked = OutboxEvent.ordered(TOPIC, "key", "parked");
        append(parked, OutboxEvent.ordered(TOPIC, "key", "behind"));
        database.execute("UPDATE outbox_event SET parked_at = appended_at, due_at = NULL WHERE payload = 'parked'");
        publishAll();
        database.jdbi()
                .useTransaction(
                        level,
                        operator -> assertThatThrownBy(() -> outbox.discard(operator, parked.id()))
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("READ COMMITTED"));
        assertThat(database.jdbi()
                        .<Boolean, RuntimeException>withHandle(operator -> outbox.discard(operator, parked.id())))
                .isTrue();
        publishAll();
        assertThat(taken).containsExactly("behind");
    }

    /** Lets another publisher have the first of three events, until {@link #delivered}. */
    private void deliverTheFirst() throws InterruptedException {
        append(
                OutboxEvent.ordered(TOPIC, "key", "first"),
                OutboxEvent.ordered(TOPIC, "key", "second"),
                OutboxEvent.ordered(TOPIC, "key", "third"),
                OutboxEvent.ordered(TOPIC, "another key", "later"));
        // A claim of MariaDB or MySQL also locks the first event that is not due yet.
        database.execute(database.filled(
                "UPDATE outbox_event SET due_at = {now} + INTERVAL '10' SECOND WHERE payload = 'later'"));
        CountDownLatch delivering = new CountDownLatch(1);
        OutboxPublisher other = publisher(event -> {
                    taken.add(event.payload());
                    delivering.countDown();
                    await(delivered);
                })
                .batch(1)
                .build();
        first = new Thread(() -> assertThat(other.publishOnce().published()).isEqualTo(1), "first");
        first.start();
        assertThat(delivering.await(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Runs something once, before a statement. */
    private void before(String part, ThrowingRunnable action) {
        AtomicBoolean done = new AtomicBoolean();
        database.jdbi().getConfig(SqlStatements.class).setSqlLogger(new SqlLogger() {
            @Override
            public void logBeforeExecution(StatementContext context) {
                if (String.valueOf(context.getRenderedSql()).contains(part) && done.compareAndSet(false, true)) {
                    try {
                        action.run();
                    } catch (InterruptedException impossible) {
                        throw new IllegalStateException(impossible);
                    }
                }
            }
        });
    }

    @FunctionalInterface
    private interface ThrowingRunnable {
        void run() throws InterruptedException;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Publishers, writers, failures, and operators who discard and try again. Nothing excludes two writers, so the order of
     * their events is any.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whateverMeetsNoEventIsLeftBehind(int writers) {
        long seed = ThreadLocalRandom.current().nextLong();
        Random failures = new Random(seed);
        Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
        OutboxPublisher publisher = publisher(event -> {
                    synchronized (failures) {
                        if (failures.nextInt(5) == 0) {
                            throw new IllegalStateException("indigestible");
                        }
                    }
                    byKey.computeIfAbsent(
                                    event.orderKey().orElseThrow(),
                                    key -> Collections.synchronizedList(new ArrayList<>()))
                            .add(Integer.valueOf(event.payload()));
                })
                .batch(3)
                .attempts(2)
                .retryAfter(Duration.ofMillis(1), Duration.ofMillis(1))
                .build();
        AtomicInteger atWork = new AtomicInteger(writers);
        List<Race.Result<Boolean>> results = Race.of(writers + 3, number -> {
            if (number < writers) {
                for (int i = 0; i < 150; i++) {
                    append(OutboxEvent.ordered(TOPIC, "key " + i % 4, Integer.toString(i)));
                }
                return atWork.decrementAndGet() >= 0;
            }
            int idle = 0;
            while (atWork.get() > 0 || idle < 20) {
                boolean nothing = publisher.publishOnce().isEmpty();
                idle = nothing && operate(number) == 0 ? idle + 1 : 0;
                LockSupport.parkNanos(idle * 100_000L);
            }
            return true;
        });
        results.forEach(Race.Result::orFail);
        assertThat(database.count("outbox_event WHERE published_at IS NULL"))
                .as("seed %s", seed)
                .isZero();
        if (writers == 1) {
            byKey.forEach((key, numbers) ->
                    assertThat(numbers).as("seed %s, %s", seed, key).isSorted());
        }
    }

    /** One operator gives parked events up, the others try them again. */
    private int operate(int number) {
        return database.jdbi().withHandle(handle -> {
            List<ParkedEvent> parked = outbox.parked(handle, 10);
            for (ParkedEvent event : parked) {
                UUID id = event.event().id();
                boolean unused = number % 3 == 0 ? outbox.discard(handle, id) : outbox.retry(handle, id);
            }
            return parked.size();
        });
    }

    private void publishAll() {
        while (!publisher(event -> taken.add(event.payload()))
                .build()
                .publishAll()
                .isEmpty()) {
            assertThat(taken).hasSizeLessThan(10);
        }
    }

    private OutboxPublisher.Builder publisher(Consumer<OutboxEvent> consumer) {
        return OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, consumer::accept);
    }

    private void append(OutboxEvent... events) {
        Transactions.on(database.store())
                .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, List.of(events)));
    }
}
