package io.counterpoint.idempotency.trial;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;

/**
 * Runs a use case once for each of its JDBC calls and each fault that can happen in that call, and compares its
 * outcomes with its effects. The first call of a key encounters the fault. It is retried with the same key, and once
 * more. Then the same happens while duplicates of the call run. Without a fault, each call that may commit is held back
 * until duplicates have run, or for 200 ms, to reveal a missing constraint. Without a fault, other keys are called
 * before the retry, to reveal a result that is read from data that they change.
 *
 * <p>After every call, there is at most one effect of each counted kind. A success has one of each, and all successes
 * of a key have equal results. A failure, that is, {@code Rejected} or an exception of the work, has none. {@code
 * NotStartedException} has none. Without a fault, the call succeeds, and retries end with an answer. The last COMMIT is
 * lost once while the database stays unreachable until the call ends, which takes as long as the use case keeps trying:
 * 5 seconds by default. All connections are returned, and none of them in a transaction.
 *
 * <p>An answer is an {@code Outcome}, any other result, which counts as a success, or an exception. Results are
 * compared with {@code equals}. The fault occurs on the call's thread. Driver calls on other threads succeed.
 *
 * <p>Nothing else may use the database in the meantime. A lost connection is rolled back and appears closed; its
 * session is returned to the data source. A driver that fails in the middle of a message is not simulated.
 */
public final class FaultInjection {

    /** Creates a use case that gets its connections from the given data source. */
    @FunctionalInterface
    public interface UseCase {
        /**
         * Sets the use case up, once for all calls.
         *
         * @param source the data source that fails
         * @return how it is called
         * @throws Exception if it cannot be set up
         */
        Call open(DataSource source) throws Exception;
    }

    /** A call of the use case. */
    @FunctionalInterface
    public interface Call {
        /**
         * Calls the use case. Calls with one key are one request and its retries. The last of them succeeds or is
         * {@code Rejected}. If the use case throws its own exception for that, it must have the {@code
         * RejectedException} as its cause.
         *
         * @param key the idempotency key
         * @return the outcome, or any other result
         * @throws Exception as the use case throws
         */
        @Nullable
        Object call(String key) throws Exception;
    }

    /** Counts effects. */
    @FunctionalInterface
    public interface Effects {
        /**
         * Counts the effects of a key, without using the failing data source.
         *
         * @param key the idempotency key
         * @return how many there are
         * @throws Exception if that is not known
         */
        long of(String key) throws Exception;
    }

    /** Lets time pass. */
    @FunctionalInterface
    public interface Pause {
        /**
         * Lets time pass.
         *
         * @throws Exception if it cannot
         */
        void pass() throws Exception;
    }

    /** A use case that another process can set up: a public class with a public no-argument constructor. */
    public interface InAnotherProcess extends UseCase {
        /**
         * Creates a data source of the same database that other processes can also reach.
         *
         * @param urlOrName the disposable database, as named
         * @return the data source
         * @throws Exception if there is none
         */
        DataSource dataSource(String urlOrName) throws Exception;
    }

    final DataSource source;
    final UseCase useCase;
    String database = "";
    String host = "";

    final List<Effects> effects = new ArrayList<>();

    @Nullable
    Pause pause;

    int duplicates = 2;

    @Nullable
    Class<? extends InAnotherProcess> killed;

    Duration bound = Duration.ofDays(1);
    long seed = System.nanoTime() % 1_000_000;

    private FaultInjection(DataSource source, UseCase useCase) {
        this.source = Objects.requireNonNull(source, "source");
        this.useCase = Objects.requireNonNull(useCase, "useCase");
    }

    /**
     * Names the use case.
     *
     * @param source the data source, with or without autocommit; {@link #wrap} may have created it
     * @param useCase the use case
     * @return the injection, which still needs a database and a count of effects
     */
    public static FaultInjection into(DataSource source, UseCase useCase) {
        return new FaultInjection(source, useCase);
    }

    /**
     * Wraps a data source that a framework injects into its beans. It fails only while an injection is running. In
     * Spring, replace the bean with it in a {@code BeanPostProcessor}.
     *
     * @param source the data source
     * @return one that forwards every call to it
     */
    public static DataSource wrap(DataSource source) {
        return FailingDriver.before(source).dataSource();
    }

    /**
     * Names the database that the injection may fill and lock. Without it, or if the connection leads to another
     * database, nothing is run.
     *
     * @param urlOrName the connection's URL, optionally without its options, or the name of its catalog
     * @return this
     */
    public FaultInjection onDisposableDatabase(String urlOrName) {
        database = Objects.requireNonNull(urlOrName, "urlOrName");
        return this;
    }

    /**
     * Confirms that the database is on another machine.
     *
     * @param hosts the host, with its port, as in the URL
     * @return this
     */
    public FaultInjection onHost(String hosts) {
        host = Objects.requireNonNull(hosts, "hosts");
        return this;
    }

    /**
     * Declares how effects of one kind are counted, such as rows, mails or calls to a remote system. Each kind of
     * effect needs its own count: uncounted effects go undetected.
     *
     * @param count counts the effects of a key
     * @return this
     */
    public FaultInjection countingEffects(Effects count) {
        effects.add(Objects.requireNonNull(count, "count"));
        return this;
    }

    /**
     * Declares how effects of one kind are counted by rows.
     *
     * @param query a query of one number, such as {@code SELECT count(*) FROM payment WHERE reference = ?}, whose parameter
     *     is the key
     * @return this
     */
    public FaultInjection countingEffects(String query) {
        DataSource plain = FailingDriver.before(source).plain();
        return countingEffects(key -> {
            try (Connection connection = plain.getConnection();
                    PreparedStatement statement = connection.prepareStatement(query)) {
                statement.setString(1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    rows.next();
                    return rows.getLong(1);
                } finally {
                    if (!connection.getAutoCommit()) {
                        connection.rollback();
                    }
                }
            }
        });
    }

    /**
     * Also retries a call after the longest time in which clients may retry, which reveals a retention that is too
     * short.
     *
     * @param time lets that time pass, for example with a clock or an {@code UPDATE} that ages all records, and purges
     *     expired records
     * @return this
     */
    public FaultInjection retryingAfter(Pause time) {
        pause = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Sets how many duplicates begin when the fault occurs; 2 unless set.
     *
     * @param callers the number; zero skips those cases
     * @return this
     */
    public FaultInjection duplicates(int callers) {
        duplicates = callers;
        return this;
    }

    /**
     * Also kills a process, with {@code kill -9}, before the first call that reaches the database and after each such
     * call. The call is retried in this process.
     *
     * @param useCaseOfTheProcess the same use case. It runs in a separate JVM with the class path of this one
     * @return this
     */
    public FaultInjection killing(Class<? extends InAnotherProcess> useCaseOfTheProcess) {
        killed = Objects.requireNonNull(useCaseOfTheProcess, "useCaseOfTheProcess");
        return this;
    }

    /**
     * Bounds the time. Each JDBC call gets its share, and its cases run in an order determined by the {@link #seed}.
     * The number of cases that ran is logged.
     *
     * @param time how long all cases may take; a case that has begun is completed
     * @return this
     */
    public FaultInjection within(Duration time) {
        bound = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Chooses the order of cases. Without it, each run uses a different one and logs it.
     *
     * @param order the seed
     * @return this
     */
    public FaultInjection seed(long order) {
        seed = order;
        return this;
    }

    /**
     * Creates a test for each JDBC call of the use case, for a {@code @TestFactory} of JUnit, which you have to
     * provide. This sets up and calls the use case.
     *
     * @return the tests, which must run in order
     * @throws IllegalArgumentException if the database is not the named one, or the use case made no JDBC call
     * @throws Exception if the use case cannot be set up, or its effects cannot be counted
     */
    @SuppressWarnings("exports")
    public Stream<DynamicTest> tests() throws Exception {
        InjectionRun run = InjectionRun.of(this);
        return run.parts().stream()
                .map(part -> DynamicTest.dynamicTest(
                        part.name(), () -> Wrong.requireNone(part.run().call())))
                .onClose(run::close);
    }

    /**
     * Runs all cases.
     *
     * @throws AssertionError that lists call, fault and findings for each wrong case
     * @throws IllegalArgumentException if the database is not the named one, or the use case made no JDBC call
     * @throws Exception if the use case cannot be set up, or its effects cannot be counted
     */
    public void verify() throws Exception {
        try (InjectionRun run = InjectionRun.of(this)) {
            List<Wrong> wrong = new ArrayList<>();
            for (InjectionRun.Part part : run.parts()) {
                wrong.addAll(part.run().call());
            }
            Wrong.requireNone(wrong);
        }
    }
}
