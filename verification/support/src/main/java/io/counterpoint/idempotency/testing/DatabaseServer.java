package io.counterpoint.idempotency.testing;

import org.jspecify.annotations.Nullable;

/**
 * A real database server for tests, shared or started for a single test.
 *
 * @param <L> the type of the server, if this JVM runs it
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
     * The JDBC URL with credentials: that of the external server, of the database {@code postgres} of PostgreSQL, or of
     * MariaDB without a database. It contains a question mark, so append options as {@code &name=value}.
     */
    public String jdbcUrl() {
        return url.toString();
    }

    /** Kills all of the server's processes with {@code kill -9}, and waits until they are gone. */
    public abstract void kill();

    /** Restarts the server with the same data and port; if it is running, it is stopped first. */
    public abstract void restart();

    /** Stops the server immediately and deletes its data. Does nothing to a shared server, which ends with the JVM. */
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

    /** Cleans up on a server that outlives this JVM. */
    abstract void leave();

    synchronized void restart(String signal) {
        L server = stoppable();
        server.stop(signal);
        server.start();
    }

    /** Returns this JVM's server, provided that no other test uses it. */
    L stoppable() {
        origin.refuseIfExternal("the server that %s names cannot be stopped, killed or started from here");
        if (local == null || origin.isShared(this)) {
            throw new UnsupportedOperationException("other tests use the shared server too: stop one of your own, from "
                    + getClass().getSimpleName() + ".start()");
        }
        return local;
    }

    /** Whether the build has started the server for all its JVMs. */
    boolean isOfBuild() {
        return local == null && !origin.isExternal();
    }
}
