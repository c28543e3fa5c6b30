package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class MariaDbServerTest {

    private static String single(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void killedServerKeepsWhatItHasAcknowledged() throws SQLException {
        try (MariaDbServer server = MariaDbServer.start("--transaction-isolation=READ-COMMITTED")) {
            String url = server.createDatabase();
            execute(url, "CREATE TABLE t (id int PRIMARY KEY) ENGINE=InnoDB");
            execute(url, "INSERT INTO t VALUES (1)");
            server.kill();
            assertThatThrownBy(() -> single(url, "SELECT 1")).isInstanceOf(SQLException.class);
            server.restart();
            assertThat(single(url, "SELECT count(*) FROM t")).isEqualTo("1");
            assertThat(single(url, "SELECT @@transaction_isolation")).isEqualTo("READ-COMMITTED");
            server.drop(url);
            assertThatThrownBy(() -> single(url, "SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void databaseWithASessionIsNotDropped() throws SQLException {
        MariaDbServer server = MariaDbServer.shared();
        String url = server.createDatabase();
        try (Connection left = DriverManager.getConnection(url)) {
            assertThatThrownBy(() -> server.drop(url, Duration.ofMillis(100)))
                    .hasMessageContaining("sessions are left behind");
            assertThat(left.isValid(10)).isTrue();
        }
        server.drop(url);
    }

    @Test
    void sharedServerIsNotStopped() throws SQLException {
        MariaDbServer server = MariaDbServer.shared();
        assertThat(MariaDbServer.shared()).isSameAs(server);
        server.close();
        assertThat(single(server.jdbcUrl(), "SELECT 1")).isEqualTo("1");
        assertThatThrownBy(server::kill).isInstanceOf(UnsupportedOperationException.class);
    }
}
