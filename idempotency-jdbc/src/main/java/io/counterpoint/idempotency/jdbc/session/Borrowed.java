package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import io.counterpoint.idempotency.jdbc.spi.Dialect;

/**
 * One connection, until it is closed. What the work sees of it is guarded.
 *
 * @param <C> what the work sees
 */
public abstract class Borrowed<C> {

    private final Connections<C> from;
    private final GuardedConnection guard;

    protected Borrowed(Connections<C> from, GuardedConnection guard) {
        this.from = from;
        this.guard = guard;
    }

    public final GuardedConnection guard() {
        return guard;
    }

    final Connections<C> from() {
        return from;
    }

    /** What the work sees, the same each time. */
    public abstract C view();

    /** Whether the view closes the connection when it is {@link #closed}. As built, it is the connection, and does not. */
    protected boolean closesConnection() {
        return false;
    }

    /** Lets the view do what follows a commit. As built, nothing, as in the next two. */
    protected void committed() {}

    /** Lets the view do what follows a rollback. */
    protected void rolledBack() {}

    /** Lets the view do what follows the end of all transactions. */
    protected void closed() {}

    /**
     * Gives the connection back, or ends it first if it is not as it was lent. Throws nothing: what was done with the
     * connection stands. A view that the work has closed, in vain, does not give it back.
     */
    public final void close(boolean asItWasLent) {
        try {
            if (!asItWasLent) {
                Dialect.discard(guard.delegate());
            }
            closed();
            guard.giveBack(closesConnection());
        } catch (Throwable broken) {
            if (!discardAndClose()) {
                from.leave(this);
            }
        }
    }

    /** For a connection of which nobody knows any more how far it got. A pool frees its place by the close only. */
    final boolean discardAndClose() {
        try {
            Dialect.discard(guard.delegate());
            guard.delegate().close();
            return true;
        } catch (Throwable broken) {
            return false;
        }
    }
}
