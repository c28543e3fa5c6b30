package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.spi.JdbiPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Where sessions get their connections. A {@link Jdbi} gives none without a handle. From a {@link DataSource} they come
 * bare, and a handle is made where the work asks for one, which most calls never do: they replay.
 */
public final class Connections {

    /** One place for the connection of the handle that this thread opens: empty, or the one it is to be opened on. */
    private static final ThreadLocal<GuardedConnection @Nullable []> OPENING = new ThreadLocal<>();

    private final Jdbi jdbi;
    private final @Nullable DataSource source;

    /** Connections that could not be given back: an error struck where there was no stack or memory left to do it. */
    private final Queue<Borrowed> left = new ConcurrentLinkedQueue<>();

    private Connections(Jdbi jdbi, @Nullable DataSource source) {
        this.jdbi = jdbi;
        this.source = source;
    }

    public static Connections of(Jdbi jdbi) {
        return new Connections(jdbi.installPlugin(new Guarding()), null);
    }

    public static Connections of(DataSource source) {
        return new Connections(
                Jdbi.create(() -> {
                    GuardedConnection[] opening = OPENING.get();
                    return opening == null ? source.getConnection() : opening[0];
                }),
                source);
    }

    public Jdbi jdbi() {
        return jdbi;
    }

    /**
     * Borrows a connection on which no transaction has begun.
     *
     * @throws IllegalStateException if one has; it is left as it is
     */
    public Borrowed borrow(Dialect dialect) {
        Borrowed borrowed = borrow();
        try {
            requireNotBegun(borrowed.guard().delegate(), dialect);
            return borrowed;
        } catch (IllegalStateException refused) {
            borrowed.close(true);
            throw refused;
        } catch (RuntimeException | Error thrown) {
            borrowed.close(false);
            throw thrown;
        }
    }

    /** Refuses a connection on which a transaction has begun: it would be committed, or joined. */
    public static void requireNotBegun(Connection connection, Dialect dialect) {
        boolean begun;
        try {
            begun = dialect.hasBegun(connection);
        } catch (SQLException thrown) {
            throw new ConnectionException(thrown);
        }
        if (begun) {
            throw new IllegalStateException("A transaction has begun already on the connection that was handed out. The"
                    + " library would commit it, or share its fate: call it outside of transactions, do the domain's"
                    + " part with the handle that the work is given, and let the pool end the transaction of its own"
                    + " test query.");
        }
    }

    private Borrowed borrow() {
        giveBackLeft();
        if (source == null) {
            GuardedConnection[] opened = new GuardedConnection[1];
            try {
                Handle handle = open(opened);
                return new Borrowed(opened[0], handle);
            } catch (RuntimeException | Error thrown) {
                if (opened[0] != null) {
                    new Borrowed(opened[0], null).close(true);
                }
                throw thrown;
            }
        }
        try {
            return new Borrowed(guarded(source.getConnection()), null);
        } catch (SQLException thrown) {
            throw new ConnectionException(thrown);
        }
    }

    private static GuardedConnection guarded(Connection connection) throws SQLException {
        try {
            return new GuardedConnection(connection);
        } catch (SQLException | RuntimeException | Error broken) {
            connection.close();
            throw broken;
        }
    }

    /** One more try for each, by a caller with enough stack and memory. */
    private void giveBackLeft() {
        for (Borrowed next; (next = left.poll()) != null; ) {
            next.discardAndClose();
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

    /** One connection, until it is closed. What domain code sees of it is guarded. */
    public final class Borrowed {
        private final GuardedConnection guard;
        private @Nullable Handle handle;

        private Borrowed(GuardedConnection guard, @Nullable Handle handle) {
            this.guard = guard;
            this.handle = handle;
        }

        public GuardedConnection guard() {
            return guard;
        }

        public Handle handle() {
            if (handle == null) {
                handle = open(new GuardedConnection[] {guard});
            }
            return handle;
        }

        public Jdbi jdbi() {
            return jdbi;
        }

        /** Lets a handle do what follows the end of the transaction: its callbacks and book-keeping. */
        public void ended(Consumer<? super Handle> bookKeeping) {
            Handle made = handle;
            if (made != null) {
                guard.ended(() -> bookKeeping.accept(made));
            }
        }

        /**
         * Gives the connection back, or ends it first if it is not as it was lent. Throws nothing: what was done with the
         * connection stands. A handle that the work has closed, in vain, does not give it back.
         */
        public void close(boolean asItWasLent) {
            try {
                if (!asItWasLent) {
                    Dialect.discard(guard.delegate());
                }
                ended(Handle::close);
                guard.giveBack(handle != null);
            } catch (Throwable broken) {
                if (!discardAndClose()) {
                    left.add(this);
                }
            }
        }

        /** For a connection of which nobody knows any more how far it got. A pool frees its place by the close only. */
        private boolean discardAndClose() {
            try {
                Dialect.discard(guard.delegate());
                guard.delegate().close();
                return true;
            } catch (Throwable broken) {
                return false;
            }
        }
    }

    /** Puts the guard on connections that {@link #borrow} asks for, and leaves all others alone. */
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
