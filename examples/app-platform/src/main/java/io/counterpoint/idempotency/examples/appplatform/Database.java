package io.counterpoint.idempotency.examples.appplatform;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.h2.tools.Server;
import org.jdbi.v3.core.Jdbi;

/**
 * Two pools of connections to PostgreSQL or H2: one for requests, and a small one for what goes on behind them, which would
 * otherwise be late whenever requests have taken all.
 */
final class Database implements AutoCloseable {

    static final String POSTGRESQL = "jdbc:postgresql:";

    private static final int CONNECTIONS = 32;
    private static final int BEHIND = 8;
    private static final int CONNECTION_TIMEOUT_MILLIS = 10_000;

    private final HikariDataSource requests;
    private final HikariDataSource behind;
    private final Jdbi jdbi;

    private Database(Address address) {
        requests = pool(address, CONNECTIONS);
        behind = pool(address, BEHIND);
        jdbi = Jdbi.create(requests);
    }

    /** Where a database is. */
    record Address(String url, String user, String password) {

        private static final String URL = "APP_PLATFORM_URL";
        private static final String USER = "APP_PLATFORM_USER";
        private static final String PASSWORD = "APP_PLATFORM_PASSWORD";

        /** Puts this into the environment of a process to start: everybody on the machine can read arguments. */
        void into(Map<String, String> environment) {
            environment.put(URL, url);
            environment.put(USER, user);
            environment.put(PASSWORD, password);
        }

        static Address from(Map<String, String> environment) {
            return new Address(
                    environment.getOrDefault(URL, ""),
                    environment.getOrDefault(USER, ""),
                    environment.getOrDefault(PASSWORD, ""));
        }

        /** Without options, which may hold a password. */
        @Override
        public String toString() {
            return url.replaceFirst("\\?.*", "");
        }
    }

    /** An H2 database in the memory of this process, which others on this machine reach with its password. */
    static final class Memory implements AutoCloseable {
        private final String name = "mem:" + UUID.randomUUID();
        private final String password = UUID.randomUUID().toString();
        private final Server server;

        Memory() throws CannotRun {
            System.setProperty("h2.bindAddress", "127.0.0.1");
            try {
                server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon");
                server.start();
            } catch (SQLException e) {
                throw new CannotRun("Cannot start a server for H2: " + CannotRun.rootMessage(e) + ".");
            }
        }

        /** For this process. */
        Address here() {
            return address("");
        }

        /** For other processes, once this one is connected. */
        Address elsewhere() {
            return address("tcp://127.0.0.1:" + server.getPort() + "/");
        }

        private Address address(String prefix) {
            return new Address("jdbc:h2:" + prefix + name + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000", "sa", password);
        }

        @Override
        public void close() {
            server.stop();
        }
    }

    static Database connect(Address address) throws CannotRun {
        try {
            return new Database(address);
        } catch (RuntimeException e) {
            throw new CannotRun("Cannot connect to " + address + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    private static HikariDataSource pool(Address address, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        if (!address.user().isEmpty()) {
            config.setUsername(address.user());
            config.setPassword(address.password());
        }
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        return new HikariDataSource(config);
    }

    Jdbi jdbi() {
        return jdbi;
    }

    /** The library's store, for requests. */
    JdbiIdempotencyStore store() {
        return store(jdbi);
    }

    /** The same, for what goes on behind them. */
    JdbiIdempotencyStore storeBehind() {
        return store(Jdbi.create(behind));
    }

    private JdbiIdempotencyStore store(Jdbi on) {
        return requests.getJdbcUrl().startsWith(POSTGRESQL)
                ? JdbiIdempotencyStore.postgresql(on)
                : JdbiIdempotencyStore.h2(on);
    }

    void createDomainTables() {
        try (InputStream in = Objects.requireNonNull(Database.class.getResourceAsStream("schema.sql"))) {
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            jdbi.useHandle(handle -> handle.createScript(script).execute());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        requests.close();
        behind.close();
    }
}
