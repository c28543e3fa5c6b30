package io.counterpoint.idempotency.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A primary and a standby that receives its log, both real PostgreSQL servers run by this JVM.
 *
 * <p>A test can make commits wait for the standby, hold back the log, list the waiting commits and interrupt their
 * waits. It can also promote the standby and create a new one. The standby is a copy of the running primary; its folder
 * and its process end with the JVM, even if it is killed. Tests route clients to the servers themselves, for example
 * with {@link CuttingProxy#leadTo}.
 */
public final class ReplicatedPostgres implements AutoCloseable {

    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final String STANDBY = "standby";

    /** Small log files are copied and recycled faster, and a standby that has lost its primary retries at once. */
    private static final List<String> SETTINGS =
            List.of("min_wal_size=32MB", "max_wal_size=256MB", "wal_retrieve_retry_interval=50ms");

    private final List<String> settings;
    private PostgresServer primary;
    private CuttingProxy wire;
    private @Nullable PostgresServer standby;

    private ReplicatedPostgres(List<String> settings, PostgresServer primary) {
        this.settings = settings;
        this.primary = primary;
        this.wire = CuttingProxy.inFrontOf(primary.jdbcUrl());
    }

    /**
     * Starts both. The standby receives the log, but commits do not wait for it.
     *
     * @param settings for both, such as {@code "synchronous_commit=local"}
     * @throws UnsupportedOperationException if the tests run on an external server
     */
    public static ReplicatedPostgres start(String... settings) {
        List<String> all = new ArrayList<>(SETTINGS);
        all.addAll(Arrays.asList(settings));
        ReplicatedPostgres pair = new ReplicatedPostgres(all, PostgresServer.start(all.toArray(String[]::new)));
        try {
            pair.addStandby();
            return pair;
        } catch (RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /** The server that currently accepts writes. */
    public PostgresServer primary() {
        return primary;
    }

    /** The server that receives the log. There is none between a promotion and {@link #addStandby()}. */
    public PostgresServer standby() {
        PostgresServer present = standby;
        if (present == null) {
            throw new IllegalStateException("there is no standby: it was promoted, and addStandby() makes another");
        }
        return present;
    }

    /** Creates a standby of the running primary, and waits until it receives the log. */
    public void addStandby() {
        if (standby != null) {
            throw new IllegalStateException("there is a standby already: " + standby);
        }
        AdministratorSql.execute(primary, "SELECT pg_create_physical_replication_slot('" + STANDBY + "', true)");
        try (Connection backup = AdministratorSql.connect(primary);
                Statement statement = backup.createStatement()) {
            statement.execute("SELECT pg_backup_start('standby', true)");
            List<String> its = new ArrayList<>(settings);
            its.add("primary_slot_name=" + STANDBY);
            its.add("primary_conninfo=host=127.0.0.1 port=" + wire.port()
                    + " user=postgres sslmode=disable gssencmode=disable application_name=" + STANDBY);
            standby = primary.startStandby(its, () -> label(statement));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot copy " + primary + ": " + e.getMessage(), e);
        }
        awaitReceiving();
    }

    private static String label(Statement backup) {
        try (ResultSet rows = backup.executeQuery("SELECT labelfile FROM pg_backup_stop(false)")) {
            rows.next();
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot end the backup: " + e.getMessage(), e);
        }
    }

    /**
     * From now on, a commit returns only once the standby has flushed it to disk; without a standby it waits forever.
     */
    public void waitForStandby() {
        AdministratorSql.execute(primary, "ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'");
        AdministratorSql.execute(primary, "SELECT pg_reload_conf()");
        await("the standby is a synchronous one", () -> "sync".equals(replication("sync_state")));
        // A different process of the server decides whether to wait, and rereads the setting at its own pace.
        await("a commit waits for the standby", this::aCommitWaits);
    }

    private boolean aCommitWaits() {
        holdBackLog();
        try (Connection connection = AdministratorSql.connect(primary);
                Statement statement = connection.createStatement()) {
            int backend = number(statement, "SELECT pg_backend_pid()");
            Thread commit = new Thread(() -> executeQuietly(statement), "a commit that may wait");
            commit.start();
            boolean waits = false;
            while (commit.isAlive() && !waits) {
                pause();
                waits = waitingCommits().contains(backend);
            }
            passLog();
            commit.join();
            return waits;
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException("cannot see whether a commit waits: " + e, e);
        } finally {
            passLog();
        }
    }

    private static void executeQuietly(Statement statement) {
        try {
            statement.execute("SELECT pg_logical_emit_message(true, 'probe', '')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** From now on, the log does not reach the standby, and neither side notices. */
    public void holdBackLog() {
        wire.blackHole();
    }

    /** Lets the log pass again, including what was held back. */
    public void passLog() {
        wire.heal();
    }

    /** Waits until the standby has flushed everything that has been committed until now, even asynchronously. */
    public void awaitCaughtUp() {
        // An asynchronous commit is flushed with the next synchronous one.
        AdministratorSql.execute(
                primary, "SET synchronous_commit = local; SELECT pg_logical_emit_message(true, 'flush', '')");
        String written = AdministratorSql.text(primary, "SELECT pg_current_wal_flush_lsn()");
        await(
                "the standby has all of the primary's log",
                () -> AdministratorSql.text(
                                primary,
                                "SELECT coalesce(bool_or(flush_lsn >= '" + written
                                        + "'), false) FROM pg_stat_replication WHERE application_name = '" + STANDBY
                                        + "'")
                        .equals("t"));
    }

    /** The process ids of the primary's backends whose commit is currently waiting for the standby. */
    public Set<Integer> waitingCommits() {
        return waiting("wait_event = 'SyncRep'");
    }

    /** The same, limited to sessions with this application name. */
    public Set<Integer> waitingCommits(String applicationName) {
        return waiting("wait_event = 'SyncRep' AND application_name = '" + applicationName + "'");
    }

    private Set<Integer> waiting(String condition) {
        try (Connection connection = AdministratorSql.connect(primary);
                PreparedStatement statement =
                        connection.prepareStatement("SELECT pid FROM pg_stat_activity WHERE " + condition);
                ResultSet rows = statement.executeQuery()) {
            Set<Integer> pids = new HashSet<>();
            while (rows.next()) {
                pids.add(rows.getInt(1));
            }
            return pids;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot see who waits: " + e.getMessage(), e);
        }
    }

    /** Waits until this many commits are waiting for the standby at the same time, and returns their backends. */
    public Set<Integer> awaitWaitingCommits(int many) {
        Set<Integer> pids = new HashSet<>();
        await(many + " commits wait for the standby", () -> {
            pids.clear();
            pids.addAll(waitingCommits());
            return pids.size() >= many;
        });
        return pids;
    }

    /**
     * Terminates a backend, as an administrator would. If its commit is waiting, it remains committed, but the client
     * gets no reply.
     */
    public void terminate(int backend) {
        AdministratorSql.execute(primary, "SELECT pg_terminate_backend(" + backend + ")");
    }

    /**
     * Cancels a backend's statement. If its commit is waiting, it remains committed, and the client gets a reply with a
     * warning.
     */
    public void cancel(int backend) {
        AdministratorSql.execute(primary, "SELECT pg_cancel_backend(" + backend + ")");
    }

    /**
     * Promotes the standby with the log that it has flushed, and waits until it accepts writes. Log in flight is lost.
     * A former primary that is running continues to run; the caller has to fence and close it.
     *
     * @return the former primary
     */
    public PostgresServer promote() {
        PostgresServer former = primary;
        wire.close();
        primary = standby();
        standby = null;
        AdministratorSql.execute(primary, "SELECT pg_promote(true, " + BOUND.toSeconds() + ")");
        wire = CuttingProxy.inFrontOf(primary.jdbcUrl());
        return former;
    }

    private void awaitReceiving() {
        await("the standby receives the log", () -> "streaming".equals(replication("state")));
    }

    private String replication(String column) {
        return AdministratorSql.text(
                primary,
                "SELECT coalesce(max(" + column + "), '') FROM pg_stat_replication WHERE application_name = '" + STANDBY
                        + "'");
    }

    /** Stops the servers immediately and deletes their data, except for former primaries. */
    @Override
    public void close() {
        wire.close();
        if (standby != null) {
            standby.close();
        }
        primary.close();
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("it did not happen within " + BOUND + " that " + what);
            }
            pause();
        }
    }

    /** Each query opens a new session; without a pause they would compete for the processors. */
    private static void pause() {
        LockSupport.parkNanos(PAUSE.toNanos());
    }

    private static int number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Override
    public String toString() {
        return primary + ", with " + (standby == null ? "no standby" : "a standby on port " + standby.port());
    }
}
