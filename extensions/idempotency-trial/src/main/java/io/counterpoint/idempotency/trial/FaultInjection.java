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
 * Runs a use case once for each of its JDBC calls and each applicable fault, and compares its results with its effects.
 * The first call with a key encounters the fault; it is then retried twice with the same key. Then the same is repeated
 * while duplicates of the call run. Without a fault, each call that may commit is held back until duplicates have run,
 * or for 200 ms, which reveals missing constraints. Also without a fault, other keys are called before the retry, which
 * reveals results that are read from data that those calls change.
 *
 * <p>The following must hold. After every call, there is at most one effect of each counted kind. A success has one of
 * each, and all successes of a key have equal results. A failure, which is {@code Rejected} or an exception of the
 * work, has none, and neither has {@code NotStartedException}. Without a fault there is a success, and retries end with
 * an outcome. In one case, the reply to the last COMMIT is lost and the database cannot be queried until the call ends,
 * which takes as long as the use case tries: 5 seconds by default. All connections are returned, none of them in a
 * transaction.
 *
 * <p>A call ends with an {@code Outcome}, any other result, which counts as a success, or an exception. Results are
 * compared with {@code equals}. Faults occur on the thread of the call; driver calls of other threads succeed.
 *
 * <p>Nothing else may use the database in the meantime. A lost connection is rolled back and appears closed; its
 * session is returned to the data source. A driver that fails in the middle of a message is not simulated.
 */
public final class FaultInjection {

    /** A use case that gets its connections from the given data source. */
    @FunctionalInterface
    public interface UseCase {
        /**
         * Sets the use case up, once for all calls.
         *
         * @param source the failing data source
         * @return the call of the use case
         * @throws Exception if it cannot be set up
         */
        Call open(DataSource source) throws Exception;
    }

    /** A call of the use case. */
    @FunctionalInterface
    public interface Call {
        /**
         * Calls the use case. Calls with the same key are one request and its retries. The last of them must succeed or
         * be {@code Rejected}: a custom exception for that needs the {@code RejectedException} as its cause.
         *
         * @param key the idempotency key
         * @return the outcome, or any other result
         * @throws Exception whatever the use case throws
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
         * @return the number of effects
         * @throws Exception if that cannot be determined
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
         * Creates a data source for the same database, which other processes can access too.
         *
         * @param urlOrName the disposable database, as passed to {@link #onDisposableDatabase}
         * @return the data source
         * @throws Exception if it cannot be created
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
     * Starts the configuration of an injection into a use case.
     *
     * @param source the data source, whose connections may have autocommit on or off; may come from {@link #wrap}
     * @param useCase the use case
     * @return the injection, which still needs a database and a count of effects
     */
    public static FaultInjection into(DataSource source, UseCase useCase) {
        return new FaultInjection(source, useCase);
    }

    /**
     * Wraps a data source that a framework injects into its beans. It fails only while an injection into it runs. In
     * Spring, replace the bean in a {@code BeanPostProcessor}.
     *
     * @param source the data source
     * @return a data source that delegates every call
     */
    public static DataSource wrap(DataSource source) {
        return FailingDriver.before(source).dataSource();
    }

    /**
     * Names the database that may be filled and locked. Nothing runs if this is missing or does not match the
     * connection.
     *
     * @param urlOrName the URL of the connection, optionally without its options, or the name of its catalog
     * @return this
     */
    public FaultInjection onDisposableDatabase(String urlOrName) {
        database = Objects.requireNonNull(urlOrName, "urlOrName");
        return this;
    }

    /**
     * Confirms that the database is on another machine.
     *
     * @param hosts the host with its port, as in the URL
     * @return this
     */
    public FaultInjection onHost(String hosts) {
        host = Objects.requireNonNull(hosts, "hosts");
        return this;
    }

    /**
     * Sets how to count effects of one kind, such as rows, mails or calls of a remote system. Each kind of effect needs
     * its own count: what is not counted is not checked.
     *
     * @param count counts the effects of a key
     * @return this
     */
    public FaultInjection countingEffects(Effects count) {
        effects.add(Objects.requireNonNull(count, "count"));
        return this;
    }

    /**
     * Sets how to count effects of one kind with a query.
     *
     * @param query a query that returns one number, such as {@code SELECT count(*) FROM payment WHERE reference = ?},
     *     with the key as its parameter
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
     * Also retries a call after the longest time for which clients may retry, which reveals a retention that is too
     * short.
     *
     * @param time lets that time pass, for example with a clock or with an {@code UPDATE} that makes all records older,
     *     and purges expired records
     * @return this
     */
    public FaultInjection retryingAfter(Pause time) {
        pause = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Sets how many duplicates start when the fault occurs. Default: 2.
     *
     * @param callers the number of duplicates; zero omits those cases
     * @return this
     */
    public FaultInjection duplicates(int callers) {
        duplicates = callers;
        return this;
    }

    /**
     * Also kills a process with {@code kill -9}, before the first call that reaches the database and after every such
     * call. The call is retried in this process.
     *
     * @param useCaseOfTheProcess the same use case, which is set up in a separate JVM with the class path of this one
     * @return this
     */
    public FaultInjection killing(Class<? extends InAnotherProcess> useCaseOfTheProcess) {
        killed = Objects.requireNonNull(useCaseOfTheProcess, "useCaseOfTheProcess");
        return this;
    }

    /**
     * Limits the total time. Each JDBC call gets its share, and its cases are run in an order determined by the {@link
     * #seed}. The number of cases that were run is logged.
     *
     * @param time how long all cases may take; a case that has begun is completed
     * @return this
     */
    public FaultInjection within(Duration time) {
        bound = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Sets the seed that determines the order of cases. By default, each run chooses a seed and logs it.
     *
     * @param order the seed
     * @return this
     */
    public FaultInjection seed(long order) {
        seed = order;
        return this;
    }

    /**
     * Creates a test for each JDBC call of the use case, for a JUnit {@code @TestFactory}; you provide the JUnit
     * dependency. The use case is set up and called immediately.
     *
     * @return the tests, which must be run in order
     * @throws IllegalArgumentException if the database is not the named one, or the use case made no JDBC call
     * @throws Exception if the use case cannot be set up or its effects cannot be counted
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
     * @throws AssertionError if any case is wrong; names the call, the fault and what was observed
     * @throws IllegalArgumentException if the database is not the named one, or the use case made no JDBC call
     * @throws Exception if the use case cannot be set up or its effects cannot be counted
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
