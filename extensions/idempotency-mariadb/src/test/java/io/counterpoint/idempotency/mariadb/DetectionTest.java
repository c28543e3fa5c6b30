package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which dialect a store finds for a server. */
class DetectionTest {

    @Test
    void mariaDbGetsItsOwnStatements() {
        String url = MariaDbServer.shared().createDatabase();
        try {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.on(Jdbi.create(url));
            assertThat(store.createTableIfMissing().toString()).contains("[MariaDbDialect,");
        } finally {
            MariaDbServer.shared().drop(url);
        }
    }

    @Test
    void anotherDatabaseIsLeftToOthers() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            assertThat(new MariaDbProvider().dialectFor(connection)).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8.0.11-TiDB-v8.1.0 TiDB Server, TiDB",
        "8.0.30-Vitess Version: 19.0.0, Vitess",
        "5.7.32 SingleStoreDB source distribution, SingleStore",
        "5.7.25-OceanBase-v4.2.1.0, OceanBase"
    })
    void serverThatCannotKeepThePromisesIsRefused(String version, String name) {
        assertThatThrownBy(() -> MariaDbProvider.requireFit(version))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(name + " cannot keep idempotency records: ");
        assertThatCode(() -> MariaDbProvider.requireFit("11.8.2-MariaDB MariaDB Server"))
                .doesNotThrowAnyException();
    }
}
