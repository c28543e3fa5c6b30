package io.counterpoint.idempotency.consistency.testing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** An empty real database of one of the kinds, with the table of idempotency records. */
public final class TestDatabase implements AutoCloseable {

    /** MariaDB is MySQL where the tests run on that. */
    public enum Kind {
        H2,
        POSTGRESQL,
        MARIADB
    }

    /** Columns of MariaDB and MySQL have other types, and texts that compare as the servers do if nobody says otherwise. */
    private static final Map<String, String> TYPES_OF_MARIADB = Map.of(
            "\\buuid\\b",
            "char(36)",
            "timestamp(\\(6\\))? with time zone",
            "datetime(6)",
            "\\btext\\b",
            "varchar(100)");

    private final String url;
    private final HikariDataSource pool;
    private final Jdbi jdbi;
    private final JdbiIdempotencyStore store;
    private final List<Thread> others = new CopyOnWriteArrayList<>();
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
        store = JdbiIdempotencyStore.on(jdbi);
    }

    /** A new database; in H2 lock waits are long, so that only conflicts end a transaction. */
    public static TestDatabase create(Kind kind) {
        return switch (kind) {
            case H2 -> at("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
            case POSTGRESQL -> {
                String url = PostgresServer.shared().createDatabase();
                TestDatabase database = at(url + "&options=-c%20deadlock_timeout=50ms");
                database.atTheEnd = () -> PostgresServer.shared().giveBack(url);
                yield database;
            }
            case MARIADB -> {
                String url = MariaDbServer.shared().createDatabase();
                TestDatabase database = at(url);
                database.atTheEnd = () -> MariaDbServer.shared().drop(url);
                yield database;
            }
        };
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
        jdbi.useHandle(handle -> Stream.of(statements).map(this::own).forEach(handle::execute));
    }

    /** A statement of the standard in the words of this database. */
    private String own(String statement) {
        if (!isMariaDb() || !statement.startsWith("CREATE TABLE")) {
            return statement;
        }
        String own = statement;
        for (Map.Entry<String, String> type : TYPES_OF_MARIADB.entrySet()) {
            own = own.replaceAll(type.getKey(), type.getValue());
        }
        return own + " COLLATE utf8mb4_general_ci";
    }

    private boolean isMariaDb() {
        return url.startsWith("jdbc:mariadb") || url.startsWith("jdbc:mysql");
    }

    /** SQL with the toolkit's words for times in those of this database. */
    public String filled(String sql) {
        return jdbi.withHandle(handle -> DatabaseProduct.of(handle).filled(sql));
    }

    /** How many rows have a time of the last minute. */
    public long countOfTheLastMinute(String table, String column) {
        return count(table + " WHERE " + filled(column + " BETWEEN {now} - INTERVAL '1' MINUTE AND {now}"));
    }

    /** The whole numbers between two, as a query with the column {@code x}. */
    public String numbers(long first, long last) {
        if (url.startsWith("jdbc:h2")) {
            return "SELECT x FROM system_range(" + first + ", " + last + ")";
        }
        if (!isMariaDb()) {
            return "SELECT x FROM generate_series(" + first + ", " + last + ") x";
        }
        int digits = Long.toString(last - first).length();
        String digit = "(SELECT 0 AS d" + " UNION ALL SELECT %d".repeat(9).formatted(1, 2, 3, 4, 5, 6, 7, 8, 9) + ")";
        String sum = IntStream.range(0, digits)
                .mapToObj(i -> "d" + i + ".d * " + Math.round(Math.pow(10, i)))
                .collect(Collectors.joining(" + "));
        String from = IntStream.range(0, digits).mapToObj(i -> digit + " d" + i).collect(Collectors.joining(", "));
        return "SELECT %d + %s AS x FROM %s WHERE %s <= %d".formatted(first, sum, from, sum, last - first);
    }

    /** Appends events, by one statement, whose keys are an expression of the number {@code x}, as their payloads are. */
    public void appendEvents(String topic, long first, long last, String keys) {
        String id = isMariaDb() ? "uuid()" : url.startsWith("jdbc:h2") ? "random_uuid()" : "gen_random_uuid()";
        execute(filled("INSERT INTO outbox_event (id, topic, order_key, payload, appended_at, due_at, attempts)"
                + " SELECT " + id + ", '" + topic + "', "
                + (isMariaDb() ? keys.replace("'k' || x", "concat('k', x)") : keys)
                + ", CAST(x AS char(6)), {now}, {now}, 0 FROM (" + numbers(first, last) + ") numbers"));
    }

    /** Lets the planner know what is in a table. */
    public void analyze(String table) {
        execute(
                isMariaDb()
                        ? "ANALYZE TABLE " + table
                        : url.startsWith("jdbc:h2") ? "ANALYZE" : "VACUUM ANALYZE " + table);
    }

    /** Waits until InnoDB has taken what was changed out of its indexes. */
    public void awaitPurge() {
        while (isMariaDb()
                && one(
                                "SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'",
                                Long.class)
                        > 100) {
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Whether a transaction waits for another's lock. */
    public boolean isAWriterWaiting() {
        if (isMariaDb()) {
            // The server renews this list where nobody has read it for a tenth of a second.
            LockSupport.parkNanos(150_000_000);
            return count(MariaDbServer.shared().waiters()) > 0;
        }
        return count(
                        url.startsWith("jdbc:h2")
                                ? "information_schema.sessions WHERE blocker_id IS NOT NULL"
                                : "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
                > 0;
    }

    /** Runs a transaction in another thread until it has ended or waits for a lock. */
    public Thread inAnotherTransaction(String... statements) {
        Thread other = new Thread(
                () -> jdbi.useTransaction(handle -> List.of(statements).forEach(handle::execute)), "another");
        other.start();
        others.add(other);
        while (other.isAlive() && !isAWriterWaiting()) {
            LockSupport.parkNanos(1_000_000);
        }
        return other;
    }

    /** Tables for {@link #meetDeadlock}. */
    public void prepareDeadlock() {
        execute(
                "CREATE TABLE contended (id integer PRIMARY KEY, n integer NOT NULL)",
                "INSERT INTO contended VALUES (1, 0), (2, 0)",
                "CREATE TABLE weight (x integer NOT NULL)");
    }

    /** Lets a transaction meet a deadlock. The other has written more, so InnoDB ends this one. */
    public void meetDeadlock(Handle handle, String last) {
        handle.execute("UPDATE contended SET n = n + 1 WHERE id = 1");
        Thread unused = inAnotherTransaction(
                "INSERT INTO weight " + numbers(1, 50),
                "UPDATE contended SET n = n + 10 WHERE id = 2",
                "UPDATE contended SET n = n + 10 WHERE id = 1");
        handle.execute(last);
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
        for (Thread other : others) {
            try {
                other.join(60_000);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        pool.close();
        atTheEnd.run();
    }
}
