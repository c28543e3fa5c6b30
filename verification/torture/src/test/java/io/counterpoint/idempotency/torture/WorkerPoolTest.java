package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WorkerPoolTest {

    private static final int MOST_WAITS = 30;

    @Test
    void poolWhoseFirstConnectionBreaksWhileItIsSetUpOpensAnother() throws Exception {
        try (CuttingProxy proxy = CuttingProxy.inFrontOf(PostgresServer.shared().jdbcUrl());
                HikariDataSource pool = Worker.pool(proxy.jdbcUrl(), 1, Isolation.READ_COMMITTED)) {
            proxy.onNextStatement(sql -> sql.contains("ISOLATION"), Cut.BEFORE_SEND);
            try (Connection connection = await(pool)) {
                proxy.awaitCut(Duration.ZERO);
                assertThat(connection.isValid(1)).isTrue();
            }
        }
    }

    /** Each wait ends after the bound of the pool. */
    private static Connection await(HikariDataSource pool) throws SQLException {
        for (int waits = 1; ; waits++) {
            try {
                return pool.getConnection();
            } catch (SQLTransientConnectionException none) {
                if (waits == MOST_WAITS) {
                    throw none;
                }
            }
        }
    }
}
