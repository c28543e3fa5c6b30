package io.counterpoint.idempotency.mariadb;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task of the work that outlives it, and waits for a row that another transaction has locked to the end. */
@Tag("thorough")
@Timeout(60)
class OutlivingTaskTest {

    private final TestPool database = TestPool.with("");
    private final Jdbi jdbi = Jdbi.create(database.pool());
    private final ExecutorService tasks = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        tasks.shutdownNow();
        database.close();
    }

    private static Operation<Connection, String> operation(JdbcIdempotencyStore store, String protocol) {
        Operation.Builder<Connection, String> builder =
                Idempotency.on(store).operation("outlived", ResultCodec.string());
        return switch (protocol) {
            case "single" ->
                builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build();
            case "record-last" ->
                builder.protocol(Operation.Protocol.RECORD_LAST).build();
            default -> builder.build();
        };
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private HikariDataSource poolOfOne() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    private static long id(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONNECTION_ID()")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private void awaitWaiter(long session) {
        String waits = "SELECT count(*) FROM " + MariaDbServer.shared().sessions()
                + " WHERE info LIKE 'UPDATE busy%' AND id = ";
        while (jdbi.withHandle(handle ->
                        handle.createQuery(waits + session).mapTo(Integer.class).one())
                == 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim-first", "single", "record-last"})
    void workThatLeavesACallInFlightFailsAndItsConnectionIsEnded(String protocol) throws Exception {
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
            handle.execute("CREATE TABLE busy (id int NOT NULL PRIMARY KEY, changes int NOT NULL)");
            handle.execute("INSERT INTO busy VALUES (1, 0)");
        });
        try (HikariDataSource pool = poolOfOne();
                Connection holder = database.pool().getConnection()) {
            Operation<Connection, String> operation = operation(
                    JdbcIdempotencyStore.builder(pool)
                            .dialect(TestPool.dialect())
                            .table(database.table())
                            .build()
                            .createTableIfMissing(),
                    protocol);
            holder.setAutoCommit(false);
            execute(holder, "UPDATE busy SET changes = 1");
            for (int end = 0; end < 5; end++) {
                Attempt attempt = Attempt.inScope("user:1").key("key-" + end).request("request");
                boolean fails = end % 2 == 1;
                Throwable thrown = tasks.submit(() -> catchThrowable(() -> operation.execute(attempt, work -> {
                            execute(work, "INSERT INTO effect VALUES ('own')");
                            long session = id(work);
                            Future<?> unused = tasks.submit(() -> {
                                execute(work, "UPDATE busy SET changes = 2");
                                return null;
                            });
                            awaitWaiter(session);
                            if (fails) {
                                throw new TimeoutException("time limit");
                            }
                            return "result";
                        })))
                        .get(30, SECONDS);

                assertThat(thrown).hasMessageContaining(fails ? "time limit" : "another thread of the work");
                assertThat(operation.execute(attempt, work -> "again")).isInstanceOf(Outcome.Rejected.class);
                assertThat(operation.execute(
                                Attempt.inScope("user:1").key("next-" + end).request("request"), work -> "next"))
                        .isInstanceOf(Outcome.Executed.class);
            }
            holder.rollback();
        }
        List<String> effects = jdbi.withHandle(handle ->
                handle.select("SELECT id FROM effect").mapTo(String.class).list());
        assertThat(effects).isEmpty();
    }
}
