package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A unique column and no library: what the usual way breaks, and the recipe of the page about faults. */
@Timeout(120)
class ByHandTest {

    private static final String DATABASE = "jdbc:h2:mem:by_hand";

    private static HikariDataSource pool;

    @BeforeAll
    static void open() {
        pool = Payments.pool(DATABASE + ";DB_CLOSE_DELAY=-1");
    }

    @AfterAll
    static void close() {
        pool.close();
    }

    private static FaultInjection injection(FaultInjection.UseCase useCase) {
        return FaultInjection.into(pool, useCase)
                .onDisposableDatabase(DATABASE)
                .countingEffects(Payments.COUNT)
                .seed(1);
    }

    /** The key comes last, a constraint's violation is believed, and what the commit throws is taken for a failure. */
    @Test
    void usualWayReportsFailuresBesideItsEffect() {
        assertThatThrownBy(injection(source -> key -> usual(source, key))::verify)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Connection.commit")
                .hasMessageContaining("effect behind SQL");
    }

    @Test
    void recipePassesUnderEveryFault() throws Exception {
        injection(source -> key -> recipe(source, key)).verify();
    }

    private static String usual(DataSource source, String key) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                String id = UUID.randomUUID().toString();
                Payments.insert(connection, key, id);
                insertBooking(connection, key, id);
                connection.commit();
                return id;
            } catch (SQLException thrown) {
                connection.rollback();
                if ("23505".equals(thrown.getSQLState())) {
                    return find(connection, key);
                }
                throw thrown;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private static String recipe(DataSource source, String key) throws SQLException {
        try {
            return inOneTransaction(source, key);
        } catch (SQLException | RuntimeException | Error thrown) {
            try (Connection another = source.getConnection()) {
                String found = find(another, key);
                if (found != null) {
                    return found;
                }
            }
            throw thrown;
        }
    }

    private static String inOneTransaction(DataSource source, String key) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            try {
                String id = UUID.randomUUID().toString();
                insertBooking(connection, key, id);
                Payments.insert(connection, key, id);
                connection.commit();
                return id;
            } catch (SQLException | RuntimeException | Error thrown) {
                connection.rollback();
                throw thrown;
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    private static void insertBooking(Connection connection, String key, String id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("INSERT INTO booking (id, key_id) VALUES (?, ?)")) {
            statement.setString(1, id);
            statement.setString(2, key);
            statement.executeUpdate();
        }
    }

    private static String find(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT id FROM booking WHERE key_id = ?")) {
            statement.setString(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }
}
