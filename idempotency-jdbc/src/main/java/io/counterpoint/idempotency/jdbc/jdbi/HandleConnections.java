package io.counterpoint.idempotency.jdbc.jdbi;

import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.LentConnection;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.spi.JdbiPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Connections for work that uses a handle. A {@link Jdbi} always creates a handle with a connection. From a {@link
 * DataSource}, connections come without one, and a handle is created only when the work requests it; most calls never
 * do, because they replay.
 */
public final class HandleConnections extends Connections<Handle> {

    /** Holds the connection of the handle that this thread is opening: empty, or the connection to open it on. */
    private static final ThreadLocal<GuardedConnection @Nullable []> OPENING = new ThreadLocal<>();

    private final Jdbi jdbi;
    private final @Nullable DataSource source;

    private HandleConnections(Jdbi jdbi, @Nullable DataSource source) {
        this.jdbi = jdbi;
        this.source = source;
    }

    public static HandleConnections of(Jdbi jdbi) {
        return new HandleConnections(jdbi.installPlugin(new Guarding()), null);
    }

    public static HandleConnections of(DataSource source) {
        return new HandleConnections(
                Jdbi.create(() -> {
                    GuardedConnection[] opening = OPENING.get();
                    return opening == null ? source.getConnection() : opening[0];
                }),
                source);
    }

    @Override
    protected Object origin() {
        return source == null ? jdbi : source;
    }

    @Override
    protected boolean isOpenedByThisThread() {
        return jdbi.getHandleScope().get() != null;
    }

    @Override
    protected LentConnection<Handle> open(Dialect dialect) throws SQLException {
        if (source != null) {
            return new WithHandle(dialect, guarded(source.getConnection()), null);
        }
        GuardedConnection[] opened = new GuardedConnection[1];
        try {
            Handle handle = open(opened);
            return new WithHandle(dialect, opened[0], handle);
        } catch (RuntimeException | Error thrown) {
            if (opened[0] != null) {
                new WithHandle(dialect, opened[0], null).close(true);
            }
            throw thrown;
        }
    }

    private Handle open(GuardedConnection[] place) {
        OPENING.set(place);
        try {
            return jdbi.open();
        } finally {
            OPENING.remove();
        }
    }

    @Override
    public <T> T ask(Question<T> question) throws SQLException {
        return jdbi.withHandle(handle -> question.ask(handle.getConnection()));
    }

    private final class WithHandle extends LentConnection<Handle> {
        private @Nullable Handle handle;

        private WithHandle(Dialect dialect, GuardedConnection guard, @Nullable Handle handle) {
            super(HandleConnections.this, dialect, guard);
            this.handle = handle;
        }

        @Override
        public Handle view() {
            if (handle == null) {
                handle = open(new GuardedConnection[] {guard()});
            }
            return handle;
        }

        @Override
        protected boolean closesConnection() {
            return handle != null;
        }

        @Override
        protected void committed() {
            ended(Handle::commit);
        }

        @Override
        protected void rolledBack() {
            ended(Handle::rollback);
        }

        @Override
        protected void closed() {
            ended(Handle::close);
        }

        /** Lets a handle run its callbacks and bookkeeping after the end of the transaction. */
        private void ended(Consumer<? super Handle> bookKeeping) {
            Handle made = handle;
            if (made != null) {
                guard().ended(() -> bookKeeping.accept(made));
            }
        }
    }

    /** Guards the connections that {@link #borrow} requests and leaves all others alone. */
    private static final class Guarding extends JdbiPlugin.Singleton {
        @Override
        public Connection customizeConnection(Connection connection) throws SQLException {
            GuardedConnection[] opening = OPENING.get();
            if (opening == null) {
                return connection;
            }
            opening[0] = guarded(connection);
            return opening[0];
        }
    }
}
