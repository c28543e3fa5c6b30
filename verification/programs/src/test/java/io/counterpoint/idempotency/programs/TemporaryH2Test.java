package io.counterpoint.idempotency.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class TemporaryH2Test {

    @Test
    void othersReachADatabaseInMemory() throws Exception {
        try (TemporaryH2 h2 = TemporaryH2.inMemory()) {
            assertShared(h2);
        }
    }

    @Test
    void othersReachADatabaseInAFolderWhichIsDeletedInTheEnd() throws Exception {
        Path folder;
        try (TemporaryH2 h2 = TemporaryH2.inFolder("programs-test-")) {
            assertShared(h2);
            folder = Path.of(h2.here("one").url().replaceAll("jdbc:h2:file:|;.*", ""))
                    .getParent();
            assertThat(folder).isNotEmptyDirectory();
        }
        assertThat(Files.exists(folder)).isFalse();
    }

    @Test
    void addressGoesThroughAnEnvironmentAndPrintsNoOptions() {
        DatabaseAddress address = new DatabaseAddress("jdbc:postgresql://h/d?password=secret", "me", "pw", "groups");
        Map<String, String> environment = new HashMap<>();
        address.into(environment, "X");
        assertThat(DatabaseAddress.from(environment, "X")).isEqualTo(address);
        assertThat(address).hasToString("jdbc:postgresql://h/d");
    }

    @Test
    void wrongAddressIsRefused() {
        assertThatThrownBy(() -> DatabaseAddress.requirePostgreSql("jdbc:mysql://h/d"))
                .isInstanceOf(CannotRun.class)
                .hasMessage("A URL must begin with jdbc:postgresql:, found jdbc:mysql://h/d.");
        DatabaseAddress nowhere = new DatabaseAddress("jdbc:h2:tcp://127.0.0.1:1/none", "sa", "");
        assertThatThrownBy(() -> nowhere.connect(pool -> pool.setConnectionTimeout(250)))
                .isInstanceOf(CannotRun.class)
                .hasMessageStartingWith("Cannot connect to jdbc:h2:tcp://127.0.0.1:1/none: ");
    }

    private static void assertShared(TemporaryH2 h2) throws CannotRun, SQLException {
        try (HikariDataSource here = h2.here("one").connect(pool -> pool.setMaximumPoolSize(1));
                HikariDataSource other = h2.remote("one").connect(pool -> pool.setMaximumPoolSize(1))) {
            try (Connection connection = here.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE shared (id INT)");
                statement.execute("INSERT INTO shared VALUES (7)");
            }
            try (Connection connection = other.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT id FROM shared")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(7);
            }
        }
    }
}
