package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that loses its session in the middle of a JDBC batch. MySQL's driver then reports that the statement is closed. */
@Tag("thorough")
@Timeout(60)
class LostBatchTest {

    @ParameterizedTest
    @EnumSource(Driver.class)
    void workRunsAgain(Driver driver) throws Exception {
        List<String> sessions = new CopyOnWriteArrayList<>();
        try (TestPool database = TestPool.by(driver, "");
                Connection rival = database.pool().getConnection()) {
            LockBound.execute(rival, "CREATE TABLE effect (id int PRIMARY KEY)");
            JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build();
            store.createTableIfMissing();
            Operation<Connection, Done> operation =
                    Idempotency.on(store).operation("lost").build();
            rival.setAutoCommit(false);
            LockBound.execute(rival, "INSERT INTO effect VALUES (1)");

            FutureTask<Outcome<Done>> call = new FutureTask<>(() ->
                    operation.execute(Attempt.inScope("user:1").key("key").withoutRequest(), connection -> {
                        sessions.add(LockBound.single(connection, "SELECT CONNECTION_ID()"));
                        return inserted(connection);
                    }));
            new Thread(call).start();
            while (LockBound.single(
                            rival,
                            "SELECT COUNT(*) FROM " + MariaDbServer.shared().waiters())
                    .equals("0")) {
                // The server renews this list where nobody has read it for a tenth of a second.
                LockSupport.parkNanos(150_000_000);
            }
            LockBound.execute(rival, "KILL " + sessions.get(0));
            rival.rollback();

            assertThat(call.get(30, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
            assertThat(sessions).hasSize(2);
        }
    }

    private static Done inserted(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO effect VALUES (?)")) {
            for (int id = 1; id <= 2; id++) {
                statement.setInt(1, id);
                statement.addBatch();
            }
            statement.executeBatch();
            return Done.DONE;
        }
    }
}
