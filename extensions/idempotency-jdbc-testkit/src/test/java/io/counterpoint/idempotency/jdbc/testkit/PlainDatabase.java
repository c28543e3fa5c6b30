package io.counterpoint.idempotency.jdbc.testkit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.PostgresServer;

/** A database of the tests' PostgreSQL. */
record PlainDatabase(HikariDataSource pool, String url) implements AutoCloseable {

    static PlainDatabase open(String... settings) {
        String url = PostgresServer.shared().createDatabase(settings);
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        return new PlainDatabase(new HikariDataSource(config), url);
    }

    @Override
    public void close() {
        pool.close();
        PostgresServer.shared().giveBack(url);
    }
}
