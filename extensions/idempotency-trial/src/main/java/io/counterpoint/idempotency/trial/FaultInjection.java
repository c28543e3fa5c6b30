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
 * Runs a use case once for each of its JDBC calls and each fault that fits that call, and compares its answers with its
 * effects. The first call of a key meets the fault. It is retried with the same key, and once more. Then the same happens
 * while duplicates of the call run. Without a fault, each call that may commit is held back until duplicates have run, or
 * for 200 ms: so a constraint that is missing shows. Without a fault, other keys are called before the retry: so an answer that
 * is read from what they change shows.
 *
 * <p>After every call there is one effect at most of each kind that is counted. A success has one of each, and all successes of
 * a key have equal results. A failure has none: that is {@code Rejected}, or what the work threw. {@code NotStartedException} has
 * none. Without a fault there is a success, and retries end with an answer. The last COMMIT is lost once while the database
 * cannot be asked about it until the call ends, which takes as long as the use case tries: 5 seconds by default. All connections are given back, and none in a transaction.
 *
 * <p>An answer is an {@code Outcome}, any other result, which is a success, or what is thrown. Results are compared with
 * {@code equals}. The fault strikes in the thread of the call. Calls of the driver by other threads go well.
 *
 * <p>Nothing else may use the database meanwhile. A lost connection is rolled back and seems closed; its session goes back
 * to the data source. A driver that breaks off in the middle of a message is not imitated.
 */
public final class FaultInjection {

    /** A use case, which gets its connections from the given data source. */
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
         * Calls the use case. Calls with one key are one request and its retries. The last of them succeeds, or is {@code
         * Rejected}: an exception of its own for that needs the {@code RejectedException} as its cause.
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
         * Counts the effects of a key, without the data source that fails.
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

    /** A use case that another process can set up: a public class with a public constructor without parameters. */
    public interface InAnotherProcess extends UseCase {
        /**
         * Makes a data source of the same database, which other processes reach too.
         *
         * @param urlOrName the disposable database, as it was named
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
     * @param source the data source, which hands out connections in autocommit or without it. {@link #wrap} may have made it
     * @param useCase the use case
     * @return the injection, which needs a database and a count of effects
     */
    public static FaultInjection into(DataSource source, UseCase useCase) {
        return new FaultInjection(source, useCase);
    }

    /**
     * Makes a data source that a framework gives to its beans. It fails only while an injection into it runs. In Spring, a
     * {@code BeanPostProcessor} puts it in the place of the bean.
     *
     * @param source the data source
     * @return one that passes every call on to it
     */
    public static DataSource wrap(DataSource source) {
        return FailingDriver.before(source).dataSource();
    }

    /**
     * Names the database that this may fill and lock. Without it, or if the connection says otherwise, nothing is run.
     *
     * @param urlOrName the URL of the connection, whose options may be left out, or the name of its catalog
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
     * Says how effects of one kind are counted, such as rows, mails or calls of a remote system. Each kind that the use case has
     * needs a count of its own: what is not counted is not seen.
     *
     * @param count counts the effects of a key
     * @return this
     */
    public FaultInjection countingEffects(Effects count) {
        effects.add(Objects.requireNonNull(count, "count"));
        return this;
    }

    /**
     * Says how effects of one kind are counted, by rows.
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
     * Retries a call after as long as clients may retry, too: a retention that is shorter shows.
     *
     * @param time lets that time pass, such as by a clock, or by an {@code UPDATE} that makes all records as much older, and
     *     purges what has expired
     * @return this
     */
    public FaultInjection retryingAfter(Pause time) {
        pause = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Says how many duplicates begin when the fault strikes; 2 if nothing is said.
     *
     * @param callers how many; zero leaves those cases out
     * @return this
     */
    public FaultInjection duplicates(int callers) {
        duplicates = callers;
        return this;
    }

    /**
     * Kills a process as well, with {@code kill -9}, before the first call that reaches the database and after each of
     * them. The call is retried in this process.
     *
     * @param useCaseOfTheProcess the same use case. It is set up in a JVM of its own, with the class path of this one
     * @return this
     */
    public FaultInjection killing(Class<? extends InAnotherProcess> useCaseOfTheProcess) {
        killed = Objects.requireNonNull(useCaseOfTheProcess, "useCaseOfTheProcess");
        return this;
    }

    /**
     * Bounds the time. Each JDBC call gets its share of it, and its cases are run in an order of the {@link #seed}. How many
     * were run is logged.
     *
     * @param time how long all cases may take; one that has begun is ended
     * @return this
     */
    public FaultInjection within(Duration time) {
        bound = Objects.requireNonNull(time, "time");
        return this;
    }

    /**
     * Chooses the order of cases. Without it each run has another one, and logs its seed.
     *
     * @param order the seed
     * @return this
     */
    public FaultInjection seed(long order) {
        seed = order;
        return this;
    }

    /**
     * Makes a test for each JDBC call of the use case, for a {@code @TestFactory} of JUnit, which you bring yourself. The use
     * case is set up and called now.
     *
     * @return the tests, which are to be run in their order
     * @throws IllegalArgumentException if the database is not the one that was named, or the use case made no JDBC call
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
     * @throws AssertionError that names call, fault and what was seen, for each case that is wrong
     * @throws IllegalArgumentException if the database is not the one that was named, or the use case made no JDBC call
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
