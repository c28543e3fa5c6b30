package io.counterpoint.idempotency.examples.groupcreation.breaker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;

/** A pool of connections to PostgreSQL or H2. */
final class Database implements AutoCloseable {

    static final String POSTGRESQL = "jdbc:postgresql:";

    private static final int CONNECTIONS = 10;
    private static final int CONNECTION_TIMEOUT_MILLIS = 3_000;

    private final HikariDataSource pool;
    private final Jdbi jdbi;

    private Database(HikariDataSource pool) {
        this.pool = pool;
        this.jdbi = Jdbi.create(pool);
    }

    /**
     * Where a database is.
     *
     * @param schema the schema to work in; empty for the database's own default
     */
    record Address(String url, String user, String password, String schema) {

        /** Puts this into the environment of a process to start. */
        void into(Map<String, String> environment, String prefix) {
            environment.put(prefix + "_URL", url);
            environment.put(prefix + "_USER", user);
            environment.put(prefix + "_PASSWORD", password);
            environment.put(prefix + "_SCHEMA", schema);
        }

        static Address from(Map<String, String> environment, String prefix) {
            return new Address(
                    environment.getOrDefault(prefix + "_URL", ""),
                    environment.getOrDefault(prefix + "_USER", ""),
                    environment.getOrDefault(prefix + "_PASSWORD", ""),
                    environment.getOrDefault(prefix + "_SCHEMA", ""));
        }

        /** Without options, which may hold a password. */
        @Override
        public String toString() {
            return url.replaceFirst("\\?.*", "");
        }
    }

    static Database connect(Address address) throws CannotRun {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(address.url());
        if (!address.user().isEmpty()) {
            config.setUsername(address.user());
            config.setPassword(address.password());
        }
        if (!address.schema().isEmpty()) {
            config.setSchema(address.schema());
        }
        config.setMaximumPoolSize(CONNECTIONS);
        config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        try {
            return new Database(new HikariDataSource(config));
        } catch (RuntimeException e) {
            throw new CannotRun("Cannot connect to " + address + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    Jdbi jdbi() {
        return jdbi;
    }

    /** The library's store in this database. */
    JdbiIdempotencyStore store() {
        return pool.getJdbcUrl().startsWith(POSTGRESQL)
                ? JdbiIdempotencyStore.postgresql(jdbi)
                : JdbiIdempotencyStore.h2(jdbi);
    }

    /** Creates the tables of groups and of their events. */
    void createTables(Groups groups) {
        try (InputStream in = Objects.requireNonNull(Groups.class.getResourceAsStream("schema.sql"))) {
            String script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            jdbi.useHandle(handle -> {
                handle.createScript(script).execute();
                groups.outbox().createTableIfMissing(handle);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
