package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that leaves open a result that MySQL's driver streams, so that the driver refuses to send the mark. */
@Timeout(60)
class OpenResultTest {

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void attemptFailsOnce(Operation.Protocol protocol) {
        AtomicInteger runs = new AtomicInteger();
        try (TestPool database = TestPool.by(Driver.MYSQL, "")) {
            JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                    .dialect(TestPool.dialect())
                    .build()
                    .createTableIfMissing();
            Operation<Connection, String> operation = Idempotency.on(store)
                    .operation("operation", ResultCodec.string())
                    .protocol(protocol)
                    .build();

            assertThatThrownBy(() -> operation.execute(
                            Attempt.inScope("user:1").key("key").withoutRequest(), connection -> {
                                runs.incrementAndGet();
                                return streamed(connection);
                            }))
                    .isInstanceOf(RejectedException.class)
                    .rootCause()
                    .hasMessageContaining("Streaming result set");

            assertThat(runs).hasValue(1);
        }
    }

    private static String streamed(Connection connection) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setFetchSize(Integer.MIN_VALUE);
        ResultSet open = statement.executeQuery("SELECT 1 UNION SELECT 2");
        assertThat(open.next()).isTrue();
        return open.getString(1);
    }
}
