package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One server of a cluster on this machine. It can be killed, paused, and isolated from its callers or from the other
 * servers.
 */
public abstract class ClusterNode {

    static final long SECONDS_TO_JOIN = 240;
    private static final long MILLIS_BETWEEN_LOOKS = 50;

    final Daemon daemon;
    private final String name;
    private final JdbcUrl url;
    private final MariaDbProxy proxy;

    ClusterNode(String name, Daemon daemon, String url) {
        this.name = name;
        this.daemon = daemon;
        this.url = JdbcUrl.parse(url);
        this.proxy = MariaDbProxy.inFrontOf(url);
    }

    // ---- what happens to it --------------------------------------------------------------------------------------

    /** Kills it with {@code kill -9}, and waits until it is gone. */
    public synchronized void kill() {
        daemon.stop("KILL");
    }

    /** Pauses all of its processes. The operating system still accepts connections and data for it. */
    public void pause() {
        signal("STOP");
    }

    /** Resumes a paused node. The others may have expelled it meanwhile. */
    public void resume() {
        signal("CONT");
    }

    /** Isolates it from the other nodes. Its callers still reach it. */
    public abstract void isolate();

    /** Undoes {@link #isolate()}. */
    public abstract void endIsolation();

    private void signal(String signal) {
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + server().pid()).start();
            if (!Daemon.exits(shell, SECONDS_TO_JOIN) || shell.exitValue() != 0) {
                throw new IllegalStateException("cannot send " + signal + " to " + daemon);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path pidFile() {
        return daemon.folder().resolve("pid");
    }

    ProcessHandle server() {
        try {
            long pid = Long.parseLong(Files.readString(pidFile(), UTF_8).strip());
            return ProcessHandle.of(pid)
                    .orElseThrow(() -> new IllegalStateException(daemon + " ended by itself" + daemon.logTail()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // ---- what it says --------------------------------------------------------------------------------------------

    final String administration() {
        return url.database("") + "&connectTimeout=5000&socketTimeout=60000";
    }

    /** Its own address, bypassing the proxy, so that nothing that a test does to callers affects it. */
    public String jdbcUrl() {
        return url.toString();
    }

    /** The proxy that its callers use. */
    public MariaDbProxy proxy() {
        return proxy;
    }

    /** The URL of a database through the proxy. */
    public String proxiedUrl(String database) {
        return JdbcUrl.parse(proxy.jdbcUrl()).database(database).toString();
    }

    void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_JOIN);
        while (!condition.getAsBoolean()) {
            if (daemon.endsWithinMillis(MILLIS_BETWEEN_LOOKS)) {
                throw new IllegalStateException(daemon + " ended by itself" + daemon.logTail());
            }
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException(
                        daemon + " is not " + what + " after " + SECONDS_TO_JOIN + " s" + daemon.logTail());
            }
        }
    }

    /** Returns a column of the first row, or null if there is no row. */
    String ask(String sql, int column) {
        try (Connection connection = DriverManager.getConnection(administration());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? String.valueOf(rows.getString(column)) : "";
        } catch (SQLException e) {
            throw new IllegalStateException("cannot ask " + daemon + " " + sql + ": " + e.getMessage(), e);
        }
    }

    /** Executes a statement as administrator, without a database. */
    public void execute(String sql) {
        AdministratorSql.execute(administration(), daemon, sql);
    }

    void delete() {
        proxy.close();
        daemon.delete();
    }

    @Override
    public String toString() {
        return name;
    }
}
