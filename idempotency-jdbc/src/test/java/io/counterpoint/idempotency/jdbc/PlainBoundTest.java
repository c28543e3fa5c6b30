package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bound of waits for locks in the plain dialect, behind gateways that change the session after each transaction. */
class PlainBoundTest {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("key-1").request("request");

    private final TestDatabase database = TestDatabase.plainPostgreSql();
    private final FaultyDriver driver = new FaultyDriver(database, true);

    @AfterEach
    void close() throws SQLException {
        driver.close();
        database.close();
    }

    private Operation<Handle, String> operation() {
        return Idempotency.on(JdbiIdempotencyStore.builder(driver.dataSource())
                        .dialect(PlainPostgreSqlDialect.create())
                        .build())
                .operation("operation", ResultCodec.string())
                .build();
    }

    @Test
    void noSettingOutlastsItsTransaction() {
        assertThat(operation().execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(driver.calls("SET lock_timeout")).isZero();
        assertThat(driver.calls("SET LOCAL lock_timeout")).isPositive();
    }

    /** The claim is there, whatever the connection is good for. */
    @Test
    void claimStandsWhereItsConnectionCannotBePutInOrder() {
        driver.at("Connection.setAutoCommit", FaultyDriver.Doing::run, before(new SQLException("injected", "08006")));
        assertThat(operation().execute(ATTEMPT, handle -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(driver.calls("INSERT INTO idempotency_record")).isEqualTo(1);
    }
}
