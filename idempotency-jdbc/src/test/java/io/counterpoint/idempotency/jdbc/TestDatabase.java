package io.counterpoint.idempotency.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testing.Gateway;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A real database with the records' table, and a domain table without a unique key so that duplicates can show. */
final class TestDatabase implements AutoCloseable {

    /** For sessions whose steps name their keys themselves. */
    static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("test").value("session");

    /** The table with its schema, as operations that record last want it. */
    static final String TABLE = "public.idempotency_record";

    private final String url;
    private final Function<Jdbi, JdbiIdempotencyStore> dialect;
    private Runnable atTheEnd = () -> {};
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final JdbiIdempotencyStore store;
    private final JdbiIdempotencyStore named;

    private TestDatabase(
            String url, Function<Jdbi, JdbiIdempotencyStore> dialect, Consumer<HikariConfig> configuration) {
        this.url = url;
        this.dialect = dialect;
        this.pool = pool(url, configuration);
        this.jdbi = Jdbi.create(pool);
        this.store = dialect.apply(jdbi);
        this.named = store.toBuilder().table(TABLE).build();
    }

    /** A database of its own on PostgreSQL, behind a gateway where the build asks for one. */
    static TestDatabase postgresql(String... settings) {
        String url = PostgresServer.shared().createDatabase(settings);
        TestDatabase database =
                postgresql(Gateway.isAskedFor() ? Gateway.shared().jdbcUrl(url) : url, config -> {});
        database.atTheEnd = () -> PostgresServer.shared().giveBack(url);
        return database;
    }

    static TestDatabase postgresql(String url, Consumer<HikariConfig> configuration) {
        return new TestDatabase(url, JdbiIdempotencyStore::on, configuration).prepared();
    }

    static TestDatabase h2() {
        return h2("MODE=REGULAR");
    }

    /** With options of its URL. */
    static TestDatabase h2(String options) {
        return new TestDatabase(
                        "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;" + options,
                        JdbiIdempotencyStore::on,
                        config -> {})
                .prepared();
    }

    /** The same database, reached otherwise. */
    TestDatabase with(String otherUrl, Consumer<HikariConfig> configuration) {
        return new TestDatabase(otherUrl, dialect, configuration);
    }

    TestDatabase with(Consumer<HikariConfig> configuration) {
        return with(url, configuration);
    }

    private static HikariDataSource pool(String url, Consumer<HikariConfig> configuration) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(url.startsWith("jdbc:h2") ? "sa" : null);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(1);
        // A mutant that gives no connection back is found out sooner.
        config.setConnectionTimeout(Long.getLong("idempotency.pool-timeout", 10_000));
        configuration.accept(config);
        return new HikariDataSource(config);
    }

    private TestDatabase prepared() {
        store.createTableIfMissing();
        jdbi.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (id varchar(255) NOT NULL)");
            if (handle.isInTransaction()) {
                handle.commit();
            }
        });
        return this;
    }

    /** Without records and effects, for the next test of a class that shares it. */
    TestDatabase emptied() {
        jdbi.useTransaction(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
        return this;
    }

    /** The store of this database's kind over another Jdbi. */
    JdbiIdempotencyStore dialect(Jdbi other) {
        return dialect.apply(other);
    }

    /** Another of this database's kind, made from the pool itself. */
    JdbiIdempotencyStore storeOnPool() {
        return store(pool);
    }

    String url() {
        return url;
    }

    /** A connection without a pool. */
    Connection connect() throws SQLException {
        return url.startsWith("jdbc:h2")
                ? DriverManager.getConnection(url, "sa", "")
                : DriverManager.getConnection(url);
    }

    /** A store of this database's kind over another data source, which is not asked which one it is. */
    JdbiIdempotencyStore store(DataSource source) {
        return JdbiIdempotencyStore.builder(source).dialect(dialect()).build();
    }

    /** The same, whose work gets connections. */
    JdbcStoreBuilder<JdbcIdempotencyStore> plain(DataSource source) {
        return JdbcIdempotencyStore.builder(source).dialect(dialect());
    }

    private Dialect dialect() {
        return url.startsWith("jdbc:h2")
                ? new H2Dialect(RecordTable.DEFAULT)
                : new PostgreSqlDialect(RecordTable.DEFAULT);
    }

    HikariDataSource pool() {
        return pool;
    }

    Jdbi jdbi() {
        return jdbi;
    }

    JdbiIdempotencyStore store() {
        return store;
    }

    /** Another, whose operations may record last once it is checked. */
    JdbiIdempotencyStore named() {
        return named;
    }

    /** As coalesced reads read. */
    static Map<IdempotencyKey, IdempotencyRecord> readAll(Session<?> session, Set<IdempotencyKey> keys) {
        return session.autoCommit(steps -> steps.readAll(List.copyOf(keys)));
    }

    static void write(Handle handle, String id) {
        handle.execute("INSERT INTO effect (id) VALUES (?)", id);
    }

    static boolean isThere(Handle handle, String id) {
        return handle.createQuery("SELECT count(*) FROM effect WHERE id = :id")
                        .bind("id", id)
                        .mapTo(Integer.class)
                        .one()
                > 0;
    }

    <T> T one(String query, Class<T> type) {
        return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(type).one());
    }

    List<String> effects() {
        return jdbi.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    @Override
    public String toString() {
        return url.replaceFirst(":[^:]*$", "");
    }

    @Override
    public void close() {
        pool.close();
        atTheEnd.run();
    }
}
