package io.counterpoint.idempotency.jdbc.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.PostgresServer;
import org.jspecify.annotations.Nullable;

/** A database of the tests' PostgreSQL, or the one that the property {@code plain.url} names. */
record PlainDatabase(HikariDataSource pool, @Nullable String lent) implements AutoCloseable {

    static PlainDatabase open(String... settings) {
        String given = System.getProperty("plain.url", "");
        String lent = given.isEmpty() ? PostgresServer.shared().createDatabase(settings) : null;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(lent == null ? given : lent);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        return new PlainDatabase(new HikariDataSource(config), lent);
    }

    @Override
    public void close() {
        pool.close();
        if (lent != null) {
            PostgresServer.shared().giveBack(lent);
        }
    }
}
