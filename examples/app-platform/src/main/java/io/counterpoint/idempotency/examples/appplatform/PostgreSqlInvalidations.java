package io.counterpoint.idempotency.examples.appplatform;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Invalidations over {@code LISTEN} and {@code NOTIFY}. A process that was not connected may have missed some, so it forgets
 * everything when it listens again.
 */
final class PostgreSqlInvalidations implements Invalidations {

    private static final int LOOK_MILLIS = 500;
    private static final long PAUSE_MILLIS = 1_000;

    private final HikariDataSource connections;
    private final AppCache cache;
    private final Consumer<String> log;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Connection listening;
    private final Thread thread = new Thread(this::listen, "cache-invalidations");

    private PostgreSqlInvalidations(HikariDataSource connections, AppCache cache, Consumer<String> log) {
        this.connections = connections;
        this.cache = cache;
        this.log = log;
        thread.setDaemon(true);
    }

    /** Over connections of which one is kept to listen. */
    static PostgreSqlInvalidations over(HikariDataSource connections, AppCache cache, Consumer<String> log) {
        return new PostgreSqlInvalidations(connections, cache, log);
    }

    @Override
    public void start() {
        thread.start();
    }

    /** What cannot be sent is logged: the others forget the entry when its time is up. */
    @Override
    public void tell(UUID app, long version) {
        try (Connection connection = connections.getConnection();
                PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            notify.setString(1, CHANNEL);
            notify.setString(2, Invalidations.message(app, version));
            notify.execute();
        } catch (SQLException e) {
            log.accept("not sent: " + e.getMessage());
        }
    }

    private void listen() {
        boolean pause = false;
        try {
            while (!closed.await(pause ? PAUSE_MILLIS : 0, TimeUnit.MILLISECONDS)) {
                try (Connection connection = connections.getConnection()) {
                    listening = connection;
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("LISTEN \"" + CHANNEL + "\"");
                        cache.clear();
                        pause = false;
                        log.accept("listening");
                        forget(connection.unwrap(PGConnection.class));
                    } finally {
                        listening = null;
                        // Nobody else is to get a connection that listens.
                        connections.evictConnection(connection);
                    }
                } catch (SQLException e) {
                    if (closed.getCount() == 0) {
                        return;
                    }
                    log.accept("not listening, trying again: " + e.getMessage());
                    pause = true;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void forget(PGConnection listening) throws SQLException {
        while (closed.getCount() > 0) {
            PGNotification[] told = listening.getNotifications(LOOK_MILLIS);
            for (PGNotification one : told == null ? new PGNotification[0] : told) {
                Invalidations.read(one.getParameter(), cache::invalidate);
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
        stopWaiting();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The listener waits for the server, which may say nothing for long. */
    private void stopWaiting() {
        Connection now = listening;
        if (now == null) {
            return;
        }
        try {
            now.abort(Runnable::run);
        } catch (SQLException alreadyClosed) {
            // Then the listener does not wait any more.
        }
    }
}
