package io.counterpoint.idempotency.consistency.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** An empty real database of one of the two kinds, with the table of idempotency records. */
public final class TestDatabase implements AutoCloseable {

    public enum Kind {
        H2,
        POSTGRESQL
    }

    private final String url;
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final JdbiIdempotencyStore store;
    private Runnable atTheEnd = () -> {};

    private TestDatabase(String url) {
        this.url = url;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(url.startsWith("jdbc:h2") ? "sa" : null);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(30_000);
        pool = new HikariDataSource(config);
        jdbi = Jdbi.create(pool);
        store = store(url, jdbi);
    }

    private static JdbiIdempotencyStore store(String url, Jdbi jdbi) {
        if (url.startsWith("jdbc:mariadb")) {
            return JdbiIdempotencyStore.builder(jdbi)
                    .dialect(MariaDbDialect.mariaDb())
                    .build();
        }
        return JdbiIdempotencyStore.on(jdbi);
    }

    /** A new database; in H2 lock waits are long, so that only conflicts end a transaction. */
    public static TestDatabase create(Kind kind) {
        return switch (kind) {
            case H2 -> at("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
            case POSTGRESQL -> {
                String url = PostgresServer.shared().createDatabase("deadlock_timeout=50ms");
                TestDatabase database = at(url);
                database.atTheEnd = () -> PostgresServer.shared().giveBack(url);
                yield database;
            }
        };
    }

    /** A new database of MariaDB, on which some parts work. */
    public static TestDatabase mariaDb() {
        String url = MariaDbServer.shared().createDatabase();
        TestDatabase database = at(url);
        database.atTheEnd = () -> MariaDbServer.shared().drop(url);
        return database;
    }

    /** The database of a URL. */
    public static TestDatabase at(String url) {
        TestDatabase database = new TestDatabase(url);
        database.store.createTableIfMissing();
        return database;
    }

    public String url() {
        return url;
    }

    public Jdbi jdbi() {
        return jdbi;
    }

    public JdbiIdempotencyStore store() {
        return store;
    }

    public Idempotency<Handle> idempotency() {
        return Idempotency.on(store);
    }

    public void execute(String... statements) {
        jdbi.useHandle(handle -> List.of(statements).forEach(handle::execute));
    }

    public long count(String from) {
        return one("SELECT count(*) FROM " + from, Long.class);
    }

    public <T> T one(String query, Class<T> type) {
        return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(type).one());
    }

    public <T> List<T> list(String query, Class<T> type) {
        return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(type).list());
    }

    @Override
    public void close() {
        pool.close();
        atTheEnd.run();
    }
}
