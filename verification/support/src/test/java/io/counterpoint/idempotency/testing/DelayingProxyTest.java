package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class DelayingProxyTest {

    private static final Duration EACH_WAY = Duration.ofMillis(20);

    @Test
    void aRoundTripTakesTheDelayTwice() throws Exception {
        try (DelayingProxy proxy =
                        DelayingProxy.inFrontOf(PostgresServer.shared().jdbcUrl(), EACH_WAY);
                Connection connection = DriverManager.getConnection(proxy.jdbcUrl());
                Statement statement = connection.createStatement()) {
            long start = System.nanoTime();
            statement.execute("select 1");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(EACH_WAY.multipliedBy(2));
        }
    }

    @Test
    void aLargeAnswerPassesWhole() throws Exception {
        try (DelayingProxy proxy =
                        DelayingProxy.inFrontOf(PostgresServer.shared().jdbcUrl(), EACH_WAY);
                Connection connection = DriverManager.getConnection(proxy.jdbcUrl());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select repeat('x', 3000000)")) {
            rows.next();
            assertThat(rows.getString(1)).hasSize(3_000_000);
        }
    }

    /** A throttle would let one connection wait for the other; the second round trip begins before the first ends. */
    @Test
    void connectionsDoNotWaitForEachOther() {
        int clients = 16;
        try (DelayingProxy proxy =
                DelayingProxy.inFrontOf(PostgresServer.shared().jdbcUrl(), EACH_WAY)) {
            List<Race.Result<Connection>> connections =
                    Race.of(clients, number -> DriverManager.getConnection(proxy.jdbcUrl()));
            List<Race.Result<Duration>> times = Race.of(clients, number -> {
                try (Connection connection = connections.get(number).orFail();
                        Statement statement = connection.createStatement()) {
                    long start = System.nanoTime();
                    statement.execute("select 1");
                    return Duration.ofNanos(System.nanoTime() - start);
                }
            });
            assertThat(times)
                    .allSatisfy(time -> assertThat(time.orFail()).isLessThan(EACH_WAY.multipliedBy(2L * clients)));
        }
    }
}
