package io.counterpoint.idempotency.testing;

import org.jspecify.annotations.Nullable;

/**
 * A real database server for tests: the shared one, or one of a test's own.
 *
 * @param <L> the server, if it is one of this JVM
 */
public abstract class DatabaseServer<L extends LocalServer> implements AutoCloseable {

    final JdbcUrl url;
    private final ServerOrigin<L, ?> origin;
    private final @Nullable L local;

    DatabaseServer(ServerOrigin<L, ?> origin, @Nullable L local, JdbcUrl url) {
        this.origin = origin;
        this.local = local;
        this.url = url;
    }

    /**
     * The JDBC URL, credentials included: the external one, or that of the database {@code postgres} of PostgreSQL, or of
     * MariaDB without a database. It contains a question mark: append options as {@code &name=value}.
     */
    public String jdbcUrl() {
        return url.toString();
    }

    /** Kills all of the server with {@code kill -9}, and returns when it is gone. */
    public abstract void kill();

    /** Starts the server again on the same data and port; if it runs, it is stopped first. */
    public abstract void restart();

    /** Stops the server at once and deletes its data. A shared server is left alone: it ends with the JVM. */
    @Override
    public void close() {
        if (!origin.isShared(this)) {
            release();
        }
    }

    synchronized void release() {
        if (!origin.forget(this)) {
            return;
        }
        if (local != null) {
            local.delete();
        } else {
            leave();
        }
    }

    /** Clears up on a server that goes on without this JVM. */
    abstract void leave();

    synchronized void restart(String signal) {
        L server = stoppable();
        server.stop(signal);
        server.start();
    }

    /** The server of this JVM, if no other test uses it. */
    L stoppable() {
        origin.refuseIfExternal("the server that %s names cannot be stopped, killed or started from here");
        if (local == null || origin.isShared(this)) {
            throw new UnsupportedOperationException("other tests use the shared server too: stop one of your own, from "
                    + getClass().getSimpleName() + ".start()");
        }
        return local;
    }

    /** Whether the build has started it, for all its JVMs. */
    boolean isOfBuild() {
        return local == null && !origin.isExternal();
    }
}
