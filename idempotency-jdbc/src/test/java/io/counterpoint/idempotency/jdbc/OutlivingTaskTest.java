package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tasks of the work that outlive it: what other threads do with its connection. */
@Tag("thorough")
@Timeout(60)
class OutlivingTaskTest extends BothDatabases {

    private static final AtomicInteger KEYS = new AtomicInteger();

    private final ExecutorService tasks = ofThisJava();

    /** Virtual threads where there are any. */
    private static ExecutorService ofThisJava() {
        try {
            return (ExecutorService)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (ReflectiveOperationException before21) {
            return Executors.newCachedThreadPool();
        }
    }

    @AfterEach
    void release() {
        tasks.shutdownNow();
    }

    private static String freshKey() {
        return "key-" + KEYS.incrementAndGet();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private static void insert(Connection connection, String id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO effect (id) VALUES ('" + id + "')");
        }
    }

    private static List<String> effects(Kind kind, String key) {
        return database(kind).effects().stream()
                .filter(id -> id.startsWith(key + " "))
                .toList();
    }

    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        RECORD_LAST;

        <C> Operation<C, String> on(IdempotencyStore<C> store) {
            return on(store, IdempotencyListener.NONE);
        }

        <C> Operation<C, String> on(IdempotencyStore<C> store, IdempotencyListener listener) {
            Operation.Builder<C, String> builder =
                    Idempotency.builder(store).listener(listener).build().operation("outlived", ResultCodec.string());
            return switch (this) {
                case CLAIM_FIRST -> builder.build();
                case SINGLE_TRANSACTION ->
                    builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build();
                case RECORD_LAST ->
                    builder.protocol(Operation.Protocol.RECORD_LAST).build();
            };
        }
    }

    // ---- calls after the work --------------------------------------------------------------------------------------

    /** Where a task of the work may come in: around the calls by which a transaction ends and a connection goes back. */
    private static final List<String> LAST_CALLS =
            List.of("Connection.rollback", "Connection.commit", "Connection.setAutoCommit", "Connection.close");

    static List<Object[]> lastCalls() {
        return Arrays.stream(Kind.values())
                .flatMap(kind -> Arrays.stream(Protocol.values())
                        .flatMap(protocol -> LAST_CALLS.stream().map(call -> new Object[] {kind, protocol, call})))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("lastCalls")
    void whatATaskWritesAfterFailedWorkIsNeverCommitted(Kind kind, Protocol protocol, String call) throws Exception {
        whatATaskWritesLateIsNeverCommitted(kind, protocol, call, true);
    }

    @ParameterizedTest
    @MethodSource("lastCalls")
    void whatATaskWritesAfterTheWorkIsNeverCommitted(Kind kind, Protocol protocol, String call) throws Exception {
        whatATaskWritesLateIsNeverCommitted(kind, protocol, call, false);
    }

    private void whatATaskWritesLateIsNeverCommitted(Kind kind, Protocol protocol, String call, boolean fails)
            throws Exception {
        String key = freshKey();
        FaultyDriver driver = new FaultyDriver(database(kind), true);
        Connection[] seen = new Connection[1];
        boolean[] over = new boolean[1];
        Strike late = doing -> {
            insertLate(seen[0], over[0], key);
            Object done = doing.run();
            insertLate(seen[0], over[0], key);
            return done;
        };
        driver.at(call, Collections.nCopies(50, late).toArray(new Strike[0]));
        try (driver) {
            Operation<Connection, String> operation = protocol.on(database(kind)
                    .plain(driver.dataSource())
                    .table(TestDatabase.TABLE)
                    .build()
                    .checkTable());

            Throwable thrown = catchThrowable(() -> operation.execute(attempt(key), connection -> {
                insert(connection, key + " own");
                seen[0] = connection;
                over[0] = true;
                if (fails) {
                    throw new TimeoutException("time limit");
                }
                return "result";
            }));

            assertThat(thrown == null).isEqualTo(!fails);
            assertThat(effects(kind, key)).isEqualTo(fails ? List.of() : List.of(key + " own"));
            assertThat(operation.execute(attempt(key), connection -> "again"))
                    .isInstanceOf(fails ? Outcome.Rejected.class : Outcome.Replayed.class);
            assertThat(effects(kind, key)).isEqualTo(fails ? List.of() : List.of(key + " own"));
        }
    }

    /** By another thread than that of the work. */
    private void insertLate(Connection connection, boolean over, String key) throws Exception {
        if (over) {
            Throwable unused = catchThrowable(() -> tasks.submit(() -> {
                        insert(connection, key + " late");
                        return null;
                    })
                    .get(20, SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void objectsOfTheWorkAreOfNoUseOnceItIsOver(Kind kind) throws Exception {
        FaultyDriver driver = new FaultyDriver(database(kind), true);
        Connection[] connection = new Connection[1];
        Statement[] statement = new Statement[1];
        try (driver) {
            Operation<Connection, String> operation = Protocol.CLAIM_FIRST.on(
                    database(kind).plain(driver.dataSource()).build());
            String result = operation
                    .execute(attempt(freshKey()), work -> {
                        connection[0] = work;
                        statement[0] = work.createStatement();
                        return "result";
                    })
                    .orElseThrow();
            assertThat(result).isEqualTo("result");

            for (Executor caller : List.<Executor>of(tasks, Runnable::run)) {
                FutureTask<Object> call = new FutureTask<>(() -> {
                    assertThatThrownBy(() -> statement[0].executeUpdate("DELETE FROM effect"))
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining("the work is over");
                    assertThatThrownBy(() -> connection[0].prepareStatement("SELECT 1"))
                            .hasMessageContaining("the work is over");
                    assertThatCode(() -> {
                                statement[0].cancel();
                                statement[0].close();
                                connection[0].close();
                            })
                            .doesNotThrowAnyException();
                    assertThat(statement[0].isClosed()).isTrue();
                    assertThat(connection[0].isClosed()).isTrue();
                    return null;
                });
                caller.execute(call);
                call.get(20, SECONDS);
            }
            assertThat(driver.calls("Statement.cancel")).isZero();
        }
    }

    // ---- calls in flight -------------------------------------------------------------------------------------------

    enum Source {
        DATA_SOURCE,
        JDBI,
        CONNECTIONS;

        IdempotencyStore<Connection> over(Kind kind, HikariDataSource pool) {
            if (this == CONNECTIONS) {
                return database(kind)
                        .plain(pool)
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable();
            }
            JdbiIdempotencyStore store = this == JDBI
                    ? database(kind).dialect(Jdbi.create(pool))
                    : database(kind).store(pool);
            return store.toBuilder()
                    .table(TestDatabase.TABLE)
                    .build()
                    .checkTable()
                    .mapped(Handle::getConnection);
        }
    }

    static List<Object[]> endings() {
        return Arrays.stream(Kind.values())
                .flatMap(kind -> Arrays.stream(Protocol.values())
                        .flatMap(protocol -> Arrays.stream(Source.values())
                                .filter(source -> kind != Kind.H2 || source == Source.DATA_SOURCE)
                                .map(source -> new Object[] {kind, protocol, source})))
                .toList();
    }

    /** Another transaction holds the row that the task waits for, to the end. H2 cannot end that wait. */
    @ParameterizedTest
    @MethodSource("endings")
    void workThatLeavesACallInFlightFailsAndItsConnectionIsEnded(Kind kind, Protocol protocol, Source source)
            throws Exception {
        for (boolean autoCommit : new boolean[] {true, false}) {
            try (TestDatabase ofOne = database(kind).with(config -> {
                        config.setMaximumPoolSize(1);
                        config.setAutoCommit(autoCommit);
                    });
                    BusyRow row = new BusyRow(kind)) {
                AtomicInteger outlived = new AtomicInteger();
                Operation<Connection, String> operation = protocol.on(
                        source.over(kind, ofOne.pool()),
                        IdempotencyListener.on(
                                IdempotencyEvent.WorkOutlived.class, event -> outlived.incrementAndGet()));
                for (int end = 0; end < (kind == Kind.H2 ? 2 : 5); end++) {
                    String key = freshKey();
                    boolean fails = end % 2 == 1;
                    Throwable thrown = tasks.submit(() -> catchThrowable(() -> operation.execute(attempt(key), work -> {
                                insert(work, key + " own");
                                int session = row.session(work);
                                Future<?> unused = tasks.submit(() -> {
                                    insert(work, key + " late");
                                    row.waitFor(work);
                                    return null;
                                });
                                row.awaitWaiter(session);
                                if (fails) {
                                    throw new TimeoutException("time limit");
                                }
                                return "result";
                            })))
                            .get(30, SECONDS);

                    if (fails) {
                        assertThat(thrown).hasMessageContaining("time limit");
                    } else {
                        assertThat(thrown)
                                .hasMessageContaining("another thread of the work")
                                .hasMessageContaining("Nothing is committed");
                    }
                    assertThat(outlived).hasValue(end + 1);
                    assertThat(operation.execute(attempt(key), work -> "again")).isInstanceOf(Outcome.Rejected.class);
                    assertThat(effects(kind, key)).isEmpty();
                    String next = freshKey();
                    assertThat(operation.execute(attempt(next), work -> "next")).isInstanceOf(Outcome.Executed.class);
                }
            }
        }
    }

    /** A row that another transaction has locked. */
    private static final class BusyRow implements AutoCloseable {
        private final Kind kind;
        private final Connection holder;

        BusyRow(Kind kind) throws SQLException {
            this.kind = kind;
            database(kind).jdbi().useHandle(handle -> {
                handle.execute("CREATE TABLE IF NOT EXISTS busy (id int NOT NULL PRIMARY KEY, changes int NOT NULL)");
                handle.execute("DELETE FROM busy");
                handle.execute("INSERT INTO busy (id, changes) VALUES (1, 0)");
            });
            holder = database(kind).connect();
            holder.setAutoCommit(false);
            waitFor(holder);
        }

        void waitFor(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE busy SET changes = changes + 1 WHERE id = 1");
            }
        }

        int session(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery(
                            kind == Kind.H2 ? "SELECT session_id()" : "SELECT pg_backend_pid()")) {
                rows.next();
                return rows.getInt(1);
            }
        }

        void awaitWaiter(int session) {
            String waits = kind == Kind.H2
                    ? "SELECT count(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL AND session_id = "
                    : "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = ";
            while (database(kind).one(waits + session, Integer.class) == 0) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() throws SQLException {
            holder.rollback();
            holder.close();
        }
    }
}
