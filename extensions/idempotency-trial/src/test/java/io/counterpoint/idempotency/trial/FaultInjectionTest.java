package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.trial.FaultInjection.UseCase;
import io.counterpoint.idempotency.trial.Payments.Way;
import io.counterpoint.idempotency.trial.Payments.Work;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Use cases that are right pass under every fault, and mistakes are found and named. */
@Timeout(120)
class FaultInjectionTest {

    private static final String DATABASE = "jdbc:h2:mem:payments";

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = Payments.pool(DATABASE + ";DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    private static FaultInjection injection(Way way, Work work) {
        return into(source -> Payments.call(source, way, work));
    }

    private static FaultInjection into(UseCase useCase) {
        return uncounted(useCase).countingEffects(Payments.COUNT);
    }

    private static FaultInjection uncounted(UseCase useCase) {
        return FaultInjection.into(pool, useCase).onDisposableDatabase(DATABASE).seed(1);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("thorough")
    void correctUseCasePassesUnderEveryFault(Way way) throws Exception {
        injection(way, Payments::insert).verify();
    }

    @TestFactory
    Stream<DynamicTest> eachCallIsATestOfItsOwn() throws Exception {
        return injection(Way.SINGLE_TRANSACTION, Payments::insert).duplicates(1).tests();
    }

    /** An expected sentence, without its number and its key. */
    private static void finds(FaultInjection injection, String... sentences) {
        assertThatThrownBy(injection::verify).isInstanceOf(AssertionError.class).satisfies(thrown -> {
            String found = thrown.getMessage().replaceAll("call \\d+", "call N").replaceAll("key \\S+\\.", "key K.");
            assertThat(found).contains(sentences);
        });
    }

    @Test
    @Tag("thorough")
    void transactionInsideTheWorkIsFound() {
        finds(
                into(source -> Payments.call(source, Way.SINGLE_TRANSACTION, (connection, key, id) -> {
                            try (Connection inner = source.getConnection()) {
                                inner.setAutoCommit(false);
                                Payments.insert(inner, key, id);
                                inner.commit();
                                inner.setAutoCommit(true);
                            }
                        }))
                        .duplicates(0),
                "At call N (Connection.commit), connection lost after the server did it: effect twice for key K.",
                "At call N (Connection.commit), bug of the driver after the server did it: effect behind Failed for key K.");
    }

    @Test
    @Tag("thorough")
    void writePastTheHandleIsFound() {
        finds(
                into(source -> Payments.call(source, Way.CLAIM_FIRST, (connection, key, id) -> {
                            try (Connection other = source.getConnection()) {
                                Payments.insert(other, key, id);
                            }
                        }))
                        .duplicates(0),
                "At call N (PreparedStatement.executeUpdate \"INSERT INTO payment (reference, id) VALU…\"), connection lost"
                        + " after the server did it: effect twice for key K.");
    }

    @Test
    @Tag("thorough")
    void remoteCallInsideTheWorkIsFound() {
        Map<String, Integer> remote = new ConcurrentHashMap<>();
        finds(
                injection(Way.SINGLE_TRANSACTION, (connection, key, id) -> {
                            remote.merge(key, 1, Integer::sum);
                            Payments.insert(connection, key, id);
                        })
                        .countingEffects(key -> remote.getOrDefault(key, 0))
                        .duplicates(0),
                "At call N (Connection.prepareStatement \"INSERT INTO payment (reference, id) VALU…\"), connection lost before"
                        + " it was done: effect twice for key K.");
    }

    @Test
    @Tag("thorough")
    void swallowedErrorIsFound() {
        finds(
                injection(Way.SINGLE_TRANSACTION, (connection, key, id) -> {
                            try {
                                Payments.insert(connection, key, id);
                            } catch (SQLException swallowed) {
                                // The mistake.
                            }
                        })
                        .duplicates(0),
                "At call N (Connection.prepareStatement \"INSERT INTO payment (reference, id) VALU…\"), unclear error before"
                        + " it was done: success without effect for key K.");
    }

    /** The task runs when its effects are looked at for the fourth time: all calls of the key are over. */
    @Test
    @Tag("thorough")
    void taskThatOutlivesTheWorkIsFound() {
        Map<String, Callable<Void>> tasks = new ConcurrentHashMap<>();
        Map<String, Integer> looks = new ConcurrentHashMap<>();
        finds(
                uncounted(source -> Payments.call(
                                source,
                                Way.CLAIM_FIRST,
                                (connection, key, id) -> tasks.put(key, () -> Payments.insert(pool, key, id))))
                        .countingEffects(key -> {
                            if (looks.merge(key, 1, Integer::sum) == 4) {
                                tasks.getOrDefault(key, () -> null).call();
                            }
                            return Payments.count(pool, key);
                        })
                        .duplicates(0),
                "Without a fault: success without effect for key K.",
                "Without a fault: effect after the end of all calls for key K.\n    Effects: 0, then 1");
    }

    /** The write is over before the calls of its key are. */
    @Test
    @Tag("thorough")
    void taskThatTheWorkDoesNotWaitForIsFound() {
        List<Future<?>> tasks = new ArrayList<>();
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            finds(
                    into(source -> Payments.call(source, Way.CLAIM_FIRST, (connection, key, id) -> {
                                CountDownLatch begun = new CountDownLatch(1);
                                tasks.add(executor.submit(() -> {
                                    try (Connection other = source.getConnection()) {
                                        begun.countDown();
                                        Payments.insert(other, key, id);
                                    }
                                    return null;
                                }));
                                begun.await();
                            }))
                            .duplicates(0),
                    ": effect twice for key K.",
                    ": effect behind Failed for key K.");
            assertThat(tasks).isNotEmpty();
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    @Tag("thorough")
    void connectionThatIsKeptIsFound() {
        List<Connection> kept = new ArrayList<>();
        finds(
                into(source -> Payments.call(source, Way.CLAIM_FIRST, (connection, key, id) -> {
                            Payments.insert(connection, key, id);
                            if (kept.isEmpty()) {
                                kept.add(source.getConnection());
                            }
                        }))
                        .duplicates(0),
                "Without a fault: connection not returned for key K.");
    }

    /** It looks before it writes, and no constraint refuses the second of two. */
    @Test
    void missingConstraintIsFoundWithoutAFault() {
        finds(
                into(source -> key -> {
                            if (Payments.count(source, key) == 0) {
                                Payments.insert(source, key, key);
                            }
                            return key;
                        })
                        .duplicates(1)
                        .within(Duration.ZERO),
                "At call N (PreparedStatement.executeUpdate \"INSERT INTO payment (reference, id) VALU…\"), held back for"
                        + " its duplicates: effect twice for key K.");
    }

    @Test
    void answersThatDifferAreFound() {
        Map<String, Integer> calls = new ConcurrentHashMap<>();
        finds(
                uncounted(source -> key -> {
                            source.getConnection().close();
                            return calls.merge(key, 1, Integer::sum);
                        })
                        .countingEffects(key -> 1),
                "Without a fault: two callers got different results for key K.\n    Answers: 1, 2, 3; effects then:"
                        + " [1, 1, 1]");
    }

    /** Of two kinds of effects, the second commits on a connection of its own. */
    @Test
    void secondKindOfEffectIsFound() {
        finds(
                into(source -> Payments.call(source, Way.SINGLE_TRANSACTION, (connection, key, id) -> {
                            try (Connection other = pool.getConnection()) {
                                Payments.insert(other, "mail of " + key, id);
                            }
                            Payments.insert(connection, key, id);
                        }))
                        .countingEffects(key -> Payments.count(pool, "mail of " + key))
                        .duplicates(0),
                ": effect twice for key K.",
                "effects then: [[1, 2], [1, 2], [1, 2]]");
        finds(
                injection(Way.SINGLE_TRANSACTION, Payments::insert)
                        .countingEffects(key -> 0)
                        .within(Duration.ZERO),
                "Without a fault: success with only part of its effects for key K.");
    }

    @Test
    void answerThatIsReadFromWhatOtherKeysChangeIsFound() {
        finds(
                into(source -> {
                            FaultInjection.Call pay = Payments.call(source, Way.SINGLE_TRANSACTION, Payments::insert);
                            return key -> {
                                Object unused = pay.call(key);
                                return Payments.count(pool);
                            };
                        })
                        .duplicates(0)
                        .within(Duration.ZERO),
                "Without a fault: two callers got different results for key K.");
    }

    @Test
    void retentionThatIsShorterThanTheRetriesIsFound() {
        finds(
                injection(Way.SINGLE_TRANSACTION, Payments::insert)
                        .retryingAfter(() -> Payments.age(pool, Duration.ofDays(100)))
                        .duplicates(0)
                        .within(Duration.ZERO),
                "Retried late: effect twice for key K.");
    }

    @Test
    void retentionThatIsLongEnoughPasses() throws Exception {
        injection(Way.SINGLE_TRANSACTION, Payments::insert)
                .retryingAfter(() -> Payments.age(pool, Duration.ofHours(20)))
                .duplicates(0)
                .within(Duration.ZERO)
                .verify();
    }

    @Test
    void injectionWithoutACountIsRefused() {
        FaultInjection injection = uncounted(source -> Payments.call(source, Way.CLAIM_FIRST, Payments::insert));
        assertThatIllegalArgumentException()
                .isThrownBy(injection::verify)
                .withMessage("Nothing was run: declare the effects with countingEffects(…).");
    }

    @Test
    void boundedTimeRunsPartOfTheCasesAndSaysSo() throws Exception {
        Logger logger = Logger.getLogger(FaultInjection.class.getName());
        List<String> logged = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                logged.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            injection(Way.CLAIM_FIRST, Payments::insert)
                    .within(Duration.ZERO)
                    .seed(42)
                    .verify();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(logged).singleElement().asString().matches("Fault injection: 0 of \\d+ cases in \\d+ s, seed 42.");
    }

    @Test
    void otherDatabaseThanTheNamedOneIsRefused() {
        FaultInjection injection =
                injection(Way.CLAIM_FIRST, Payments::insert).onDisposableDatabase("jdbc:h2:mem:other");
        assertThatIllegalArgumentException()
                .isThrownBy(injection::verify)
                .withMessage("Nothing was run: the data source leads to jdbc:h2:mem:payments, catalog PAYMENTS, but the"
                        + " disposable database is jdbc:h2:mem:other.");
    }

    @Test
    void useCaseThatTakesItsConnectionsElsewhereIsRefused() {
        FaultInjection injection = into(source -> Payments.call(pool, Way.CLAIM_FIRST, Payments::insert));
        assertThatIllegalArgumentException()
                .isThrownBy(injection::verify)
                .withMessage("The use case made no JDBC call through the data source it was given.");
    }

    @Test
    void databaseWithoutANameIsRefused() {
        FaultInjection injection = injection(Way.CLAIM_FIRST, Payments::insert).onDisposableDatabase("");
        assertThatIllegalArgumentException().isThrownBy(injection::tests).withMessageStartingWith("Nothing was run:");
    }
}
