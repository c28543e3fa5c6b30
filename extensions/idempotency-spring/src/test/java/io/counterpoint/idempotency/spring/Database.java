package io.counterpoint.idempotency.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** A real database with the records' table and a domain. Effects have no unique name, so that duplicates can show. */
final class Database implements AutoCloseable {

    /** Which one it is. */
    enum Kind {
        H2,
        POSTGRESQL,
        /** MySQL where the environment names one. */
        MARIADB
    }

    private final String url;
    private final HikariDataSource pool;
    private final Runnable atTheEnd;

    private Database(String url, int connections, Runnable atTheEnd) {
        this.url = url;
        this.atTheEnd = atTheEnd;
        this.pool = pool(connections);
    }

    static Database open(Kind kind) {
        return switch (kind) {
            case H2 -> new Database("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", 64, () -> {}).prepared();
            case POSTGRESQL -> {
                String url = PostgresServer.shared().createDatabase();
                yield new Database(url, 64, () -> PostgresServer.shared().giveBack(url)).prepared();
            }
            case MARIADB -> {
                String url = MariaDbServer.shared().createDatabase();
                yield new Database(url, 64, () -> MariaDbServer.shared().drop(url)).prepared();
            }
        };
    }

    /** Where a proxy leads to it, by one connection: a larger pool would open some when it likes. */
    static Database at(String url) {
        return new Database(url, 1, () -> {});
    }

    String url() {
        return url;
    }

    private Database prepared() {
        SpringIdempotencyStore.on(new JdbcTransactionManager(pool)).createTableIfMissing();
        JdbcTemplate jdbc = jdbc();
        jdbc.execute("CREATE TABLE effect (number varchar(36) NOT NULL PRIMARY KEY, id varchar(255) NOT NULL)");
        jdbc.execute("CREATE TABLE account (id varchar(255) NOT NULL PRIMARY KEY, balance bigint NOT NULL,"
                + " version bigint NOT NULL)");
        return this;
    }

    /** Another pool to the same database. The caller closes it. */
    HikariDataSource pool(int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(isH2() ? "sa" : null);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(10_000);
        return new HikariDataSource(config);
    }

    HikariDataSource pool() {
        return pool;
    }

    private boolean isH2() {
        return url.startsWith("jdbc:h2");
    }

    private String schema() {
        return isH2() || url.startsWith("jdbc:postgresql")
                ? "public"
                : url.replaceFirst("^jdbc:\\w+://[^/]*/([^?]*).*$", "$1");
    }

    /** A store whose transactions are those of a manager of plain JDBC. */
    SpringIdempotencyStore store() {
        return store(new JdbcTransactionManager(pool));
    }

    SpringIdempotencyStore store(PlatformTransactionManager manager) {
        return SpringIdempotencyStore.on(manager, pool, options -> options.table(schema() + ".idempotency_record"))
                .checkTable();
    }

    JdbcTemplate jdbc() {
        return new JdbcTemplate(pool);
    }

    List<String> effects() {
        return jdbc().queryForList("SELECT id FROM effect", String.class);
    }

    void empty() {
        jdbc().update("DELETE FROM idempotency_record");
        jdbc().update("DELETE FROM effect");
        jdbc().update("DELETE FROM account");
    }

    @Override
    public void close() {
        pool.close();
        atTheEnd.run();
    }
}
