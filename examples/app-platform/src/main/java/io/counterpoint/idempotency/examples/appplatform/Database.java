package io.counterpoint.idempotency.examples.appplatform;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppPaths;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * Two pools of connections to PostgreSQL or H2: one for requests, and a small one for what goes on behind them, which would
 * otherwise be late whenever requests have taken all.
 */
final class Database implements AutoCloseable {

    private static final int CONNECTIONS = 32;
    private static final int BEHIND = 8;
    private static final int CONNECTION_TIMEOUT_MILLIS = 10_000;

    private final HikariDataSource requests;
    private final HikariDataSource behind;
    private final Jdbi jdbi;
    private final boolean isPostgreSql;

    private Database(HikariDataSource requests, HikariDataSource behind, boolean isPostgreSql) {
        this.requests = requests;
        this.behind = behind;
        this.isPostgreSql = isPostgreSql;
        jdbi = Jdbi.create(requests);
    }

    static Database connect(DatabaseAddress address) throws CannotRun {
        return new Database(pool(address, CONNECTIONS), pool(address, BEHIND), address.isPostgreSql());
    }

    private static HikariDataSource pool(DatabaseAddress address, int connections) throws CannotRun {
        return address.connect(config -> {
            config.setMaximumPoolSize(connections);
            config.setMinimumIdle(1);
            config.setConnectionTimeout(CONNECTION_TIMEOUT_MILLIS);
        });
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
        return isPostgreSql ? JdbiIdempotencyStore.postgresql(on) : JdbiIdempotencyStore.h2(on);
    }

    /** Carries invalidations to the caches of all processes; on H2 there is only this one. */
    Invalidations invalidations(AppCache cache, Consumer<String> log) {
        return isPostgreSql ? PostgreSqlInvalidations.over(behind, cache, log) : (app, version) -> {};
    }

    /** Locks the mode of a migration as this database can. */
    AppPaths paths() {
        return isPostgreSql ? AppPaths.postgresql() : AppPaths.h2();
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
