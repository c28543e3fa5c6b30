package io.counterpoint.idempotency.sharding;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/** A database with records, and a domain table without a unique key so that duplicates can show. */
record Shard(HikariDataSource pool, Jdbi jdbi, JdbiIdempotencyStore store) implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static Shard on(String url) {
        return open(url, PATIENCE);
    }

    /** Which soon notices that its server is down. */
    static Shard impatient(String url) {
        return open(url, Duration.ofSeconds(1));
    }

    private static Shard open(String url, Duration patience) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(url.startsWith("jdbc:h2") ? "sa" : null);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(patience.toMillis());
        HikariDataSource pool = new HikariDataSource(config);
        Jdbi jdbi = Jdbi.create(pool);
        return new Shard(
                pool,
                jdbi,
                JdbiIdempotencyStore.on(jdbi).toBuilder()
                        .table("public.idempotency_record")
                        .build());
    }

    Shard prepared() {
        JdbiIdempotencyStore unused = store.createTableIfMissing();
        jdbi.useTransaction(handle -> {
            handle.execute("CREATE TABLE IF NOT EXISTS effect (id varchar(255) NOT NULL)");
            handle.execute(
                    "CREATE TABLE IF NOT EXISTS shared (id varchar(10) NOT NULL PRIMARY KEY, changes int NOT NULL)");
        });
        return emptied();
    }

    Shard emptied() {
        jdbi.useTransaction(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
            handle.execute("DELETE FROM shared");
            handle.execute("INSERT INTO shared (id, changes) VALUES ('left', 0), ('right', 0)");
        });
        return this;
    }

    List<String> effects() {
        return jdbi.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    @Override
    public void close() {
        pool.close();
    }
}
