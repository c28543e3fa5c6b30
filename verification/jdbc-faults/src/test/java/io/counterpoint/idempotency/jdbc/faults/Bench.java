package io.counterpoint.idempotency.jdbc.faults;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.Gateway;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * A database of a real PostgreSQL that is reached in two ways: by the callers under test through a proxy that can cut, and
 * by everybody else directly. Nobody uses a pool where the server may go away, which would go on refusing for a while after
 * it is back. Elsewhere a pool spares everybody else a new session for each statement.
 */
final class Bench implements AutoCloseable {

    static final Duration BOUND = Duration.ofSeconds(30);

    /** To ask the server without a pause would take processors from what is waited for. */
    private static final Duration PAUSE = Duration.ofMillis(1);

    private final PostgresServer server;
    private final String url;
    private final String options;
    final CuttingProxy proxy;
    final Jdbi direct;
    private final @Nullable HikariDataSource pool;

    private Bench(PostgresServer server, String url, String options, @Nullable HikariDataSource pool) {
        this.server = server;
        this.url = url;
        this.options = options;
        this.proxy = CuttingProxy.inFrontOf(isBehindGateway() ? Gateway.shared().jdbcUrl(url) : url);
        this.pool = pool;
        this.direct = pool == null ? Jdbi.create(url) : Jdbi.create(pool);
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** On the shared server, which stays. */
    static Bench shared() {
        String url = database(PostgresServer.shared());
        return new Bench(PostgresServer.shared(), url, "", pool(url));
    }

    /**
     * On a server, or in a database, that may go away.
     *
     * @param options for the connections of the callers under test, as {@code &name=value}
     */
    static Bench on(PostgresServer server, String options) {
        return new Bench(server, database(server), options, null);
    }

    private static String database(PostgresServer server) {
        String url = server.createDatabase();
        Effects.prepare(url);
        return url;
    }

    private boolean isBehindGateway() {
        return Gateway.isAskedFor() && server == PostgresServer.shared();
    }

    String url() {
        return url;
    }

    /** How the callers under test reach the database. */
    String victimUrl() {
        return proxy.jdbcUrl() + "&ApplicationName=victim" + options;
    }

    Jdbi victim() {
        return Jdbi.create(victimUrl());
    }

    JdbiIdempotencyStore directStore() {
        return JdbiIdempotencyStore.on(direct);
    }

    Trial trial(ProtocolVariant way) {
        return new Trial(way, victim(), direct);
    }

    void cut(Step step, Cut cut) {
        proxy.onNextStatement(step.sql(), cut);
    }

    /** From now on callers under test have no database, whatever they do. */
    void goAway() {
        proxy.refuseConnections();
        proxy.resetAll();
    }

    void awaitCut() {
        try {
            proxy.awaitCut(BOUND);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Waits until no connection of a caller under test is left in the server, or in use where a gateway keeps it for
     * others. All statements of those callers are then done.
     */
    void awaitVictimsGone() {
        await(
                "the connections of the callers under test end",
                () -> isBehindGateway()
                        ? !Gateway.shared().hasClients(url)
                                && Gateway.shared().idleSessions().containsAll(victims())
                        : victims().isEmpty());
    }

    private List<Integer> victims() {
        return direct.withHandle(handle -> handle.createQuery("SELECT pid FROM pg_stat_activity WHERE"
                        + " datname = current_database() AND application_name = 'victim'")
                .mapTo(Integer.class)
                .list());
    }

    void awaitEndOfSession(int pid) {
        await(
                "session " + pid + " ends",
                () -> direct.withHandle(
                                handle -> handle.createQuery("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
                                        .bind("pid", pid)
                                        .mapTo(Integer.class)
                                        .one())
                        == 0);
    }

    static final String CALLER = "another caller";

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("It did not happen within " + BOUND + " that " + what);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    static <T> Future<T> begin(Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        Thread thread = new Thread(task, CALLER);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** What was begun answers; what it throws is thrown here, the same object. */
    static <T> T end(Future<T> future) {
        try {
            return future.get(BOUND.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException thrown) {
            throw Trial.<RuntimeException>same(thrown.getCause());
        } catch (InterruptedException | TimeoutException thrown) {
            throw new AssertionError("Another thread did not come to an end", thrown);
        }
    }

    @Override
    public void close() {
        proxy.close();
        if (pool != null) {
            pool.close();
        }
        server.giveBack(url);
    }
}
