package io.counterpoint.idempotency.examples.groupcreation.breaker;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jdbi.v3.core.Jdbi;

/** A pool of connections to PostgreSQL, MariaDB or H2. */
final class BreakerDatabase implements AutoCloseable {

    private static final int CONNECTIONS = 10;
    private static final int CONNECTION_TIMEOUT_MILLIS = 3_000;

    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final DatabaseAddress address;

    private BreakerDatabase(HikariDataSource pool, DatabaseAddress address) {
        this.pool = pool;
        this.jdbi = Jdbi.create(pool);
        this.address = address;
    }

    static BreakerDatabase connect(DatabaseAddress address) throws CannotRun {
        HikariDataSource pool = address.connect(config -> {
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(0);
            config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        });
        return new BreakerDatabase(pool, address);
    }

    Jdbi jdbi() {
        return jdbi;
    }

    /** The library's store in this database. */
    JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.on(jdbi);
    }

    /** Creates the tables for groups and their events. */
    void createTables(Groups groups) {
        String file = address.isMariaDb() ? "schema-mariadb.sql" : "schema.sql";
        try (InputStream in = Objects.requireNonNull(Groups.class.getResourceAsStream(file))) {
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
