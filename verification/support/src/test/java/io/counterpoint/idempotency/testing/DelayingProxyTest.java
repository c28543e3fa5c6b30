package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
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

    /**
     * A throttle would let one connection wait for the other, each time; the second round trip begins before the first
     * ends. A machine that is slow is not so each time.
     */
    @Test
    void connectionsDoNotWaitForEachOther() throws SQLException {
        int clients = 16;
        try (DelayingProxy proxy =
                DelayingProxy.inFrontOf(PostgresServer.shared().jdbcUrl(), EACH_WAY)) {
            List<Race.Result<Connection>> connections =
                    Race.of(clients, number -> DriverManager.getConnection(proxy.jdbcUrl()));
            List<Duration> longest = new ArrayList<>();
            do {
                assertThat(longest).as("one waits for the other").hasSizeLessThan(20);
                longest.add(Race.of(
                                clients, number -> time(connections.get(number).orFail()))
                        .stream()
                        .map(Race.Result::orFail)
                        .max(Comparator.naturalOrder())
                        .orElseThrow());
            } while (longest.get(longest.size() - 1).compareTo(EACH_WAY.multipliedBy(2L * clients)) >= 0);
            for (Race.Result<Connection> connection : connections) {
                connection.orFail().close();
            }
        }
    }

    private static Duration time(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            long start = System.nanoTime();
            statement.execute("select 1");
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }
}
