package io.counterpoint.idempotency.examples.appplatform;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.consistency.invalidation.InvalidationChannel;
import io.counterpoint.idempotency.consistency.invalidation.PostgreSqlChannel;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseServer;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Three connection pools for PostgreSQL: one for requests; a small one for background work, which would otherwise be
 * late whenever requests use all connections; and one for the server with the apps' databases, so that no request waits
 * for a connection while it holds another one.
 */
final class PlatformDatabase implements AutoCloseable {

    private static final int CONNECTIONS = 32;
    private static final int BEHIND = 8;
    private static final int SERVER = 4;
    private static final int CONNECTION_TIMEOUT_MILLIS = 10_000;

    private final HikariDataSource requests;
    private final HikariDataSource behind;
    private final HikariDataSource server;
    private final Jdbi jdbi;

    private PlatformDatabase(HikariDataSource requests, HikariDataSource behind, HikariDataSource server) {
        this.requests = requests;
        this.behind = behind;
        this.server = server;
        jdbi = Jdbi.create(requests);
    }

    static PlatformDatabase connect(DatabaseAddress address) throws CannotRun {
        return new PlatformDatabase(pool(address, CONNECTIONS, 1), pool(address, BEHIND, 1), pool(address, SERVER, 0));
    }

    private static HikariDataSource pool(DatabaseAddress address, int connections, int idle) throws CannotRun {
        return address.connect(config -> {
            config.setMaximumPoolSize(connections);
            config.setMinimumIdle(idle);
            config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        });
    }

    Jdbi jdbi() {
        return jdbi;
    }

    /** The library's store, for requests. */
    JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.on(jdbi);
    }

    /** The library's store, for background work. */
    JdbiIdempotencyStore storeBehind() {
        return JdbiIdempotencyStore.on(Jdbi.create(behind));
    }

    /** The server with the apps' databases. */
    DatabaseServer server() {
        return new SchemaServer(Jdbi.create(server));
    }

    /** Distributes invalidations to the caches of all processes. */
    InvalidationChannel invalidations() {
        return PostgreSqlChannel.on(behind);
    }

    void createDomainTables() {
        jdbi.useHandle(handle -> runScript(handle, "schema.sql"));
    }

    /** Runs an SQL script from this program's resources. */
    static void runScript(Handle handle, String name) {
        try (InputStream in = Objects.requireNonNull(PlatformDatabase.class.getResourceAsStream(name))) {
            handle.createScript(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .execute();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        requests.close();
        behind.close();
        server.close();
    }
}
