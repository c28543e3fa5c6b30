package io.counterpoint.idempotency.jdbc.hsqldb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.testing.Ports;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.hsqldb.server.Server;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** A database of HSQLDB on which the promises cannot rest is refused, with what to do. */
class RefusedSettingsTest {

    private static void assertRefused(String url, String remedy) throws SQLException {
        try (Connection keptOpen = DriverManager.getConnection(url)) {
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(
                            Jdbi.create(() -> DriverManager.getConnection(url)))
                    .dialect(new HsqldbDialect(RecordTable.DEFAULT))
                    .build();
            assertThatThrownBy(() -> store.createTableIfMissing().checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(remedy);
        }
    }

    @Test
    void databaseThatLocksWholeTablesIsRefused() throws SQLException {
        assertRefused(
                "jdbc:hsqldb:mem:locks;sql.pad_space=false;shutdown=true", "SET DATABASE TRANSACTION CONTROL MVCC");
    }

    @Test
    void databaseThatIgnoresSpacesIsRefused() throws SQLException {
        assertRefused("jdbc:hsqldb:mem:spaces;hsqldb.tx=mvcc;shutdown=true", "SET DATABASE COLLATION SQL_TEXT NO PAD");
    }

    @Test
    void databaseOfAnotherProcessIsRefused() throws SQLException {
        Server server = new Server();
        server.setSilent(true);
        server.setLogWriter(null);
        server.setAddress("localhost");
        server.setPort(Ports.take());
        server.setDatabaseName(0, "remote");
        server.setDatabasePath(0, "mem:remote;hsqldb.tx=mvcc;sql.pad_space=false");
        server.start();
        try {
            assertRefused("jdbc:hsqldb:hsql://localhost:" + server.getPort() + "/remote", "open it in this one");
        } finally {
            server.shutdown();
        }
    }
}
