package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.jdbc.guard.GuardedConnection;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Provides sessions with connections.
 *
 * @param <C> the handle that the work gets
 */
public abstract class Connections<C> {

    /** Detected by name, because this module does not depend on Spring. */
    static final String PROXY_OF_SPRING = "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

    static final String IS_PROXY = "Expected a data source, found a TransactionAwareDataSourceProxy, which returns"
            + " the connection of the caller's transaction. Use the data source it wraps, or the store of"
            + " idempotency-spring.";

    /** Connections that could not be returned because of an error without enough stack or memory left to do it. */
    private final Queue<LentConnection<C>> left = new ConcurrentLinkedQueue<>();

    /** A statement outside sessions. */
    public interface Question<T> {
        T ask(Connection connection) throws SQLException;
    }

    /**
     * Identifies the database of a store: a thread in a transaction of one store must not call another one of the same
     * database.
     */
    protected abstract Object origin();

    /** Whether this thread has opened something there outside this library that a call would share or wait for. */
    protected abstract boolean isOpenedByThisThread();

    /** Borrows a connection in any state. */
    protected abstract LentConnection<C> open(Dialect dialect) throws SQLException;

    /** Runs a query on an unguarded connection in any mode. */
    public abstract <T> T ask(Question<T> question) throws SQLException;

    /**
     * Borrows a connection on which no transaction has begun.
     *
     * @throws IllegalStateException if one has begun; it is left alone
     */
    public final LentConnection<C> borrow(Dialect dialect) {
        giveBackLeft();
        LentConnection<C> borrowed;
        try {
            borrowed = open(dialect);
        } catch (MisuseException misuse) {
            throw misuse;
        } catch (SQLException | RuntimeException thrown) {
            throw StoreFailures.noConnection(thrown);
        }
        try {
            requireOwn(borrowed.connection);
            requireNotBegun(borrowed.connection, dialect);
            return borrowed;
        } catch (SQLException thrown) {
            borrowed.close(false);
            throw StoreFailures.noConnection(thrown);
        } catch (RuntimeException | Error thrown) {
            borrowed.close(thrown instanceof MisuseException);
            throw thrown;
        }
    }

    /** Rejects a connection of Spring's proxy, even a wrapped one: it belongs to the caller's transaction. */
    private static void requireOwn(Connection connection) {
        if (connection instanceof Proxy
                && Proxy.getInvocationHandler(connection).getClass().getName().startsWith(PROXY_OF_SPRING)) {
            throw new MisuseException(IS_PROXY);
        }
    }

    /** Rejects a connection on which a transaction has begun, because it would be committed or joined. */
    public static void requireNotBegun(Connection connection, Dialect dialect) throws SQLException {
        if (dialect.hasBegun(connection)) {
            throw new MisuseException(
                    "The connection was borrowed with a transaction already open. The library would commit that"
                            + " transaction or roll back with it. Call the operation outside of transactions, use the"
                            + " handle passed to the work, and make the pool end the transaction of its own test"
                            + " query.");
        }
    }

    /**
     * Rejects a call inside the work of an operation, or inside anything that {@link #isOpenedByThisThread} detects.
     */
    public final void requireNotInside() {
        if (isOpenedByThisThread() || JdbcSession.isInside(origin())) {
            throw new NestedCallException(
                    "Called inside the work of an operation, or inside an open Jdbi handle or transaction of this"
                            + " thread. It would need a second connection, and a rollback outside would not undo it."
                            + " Call it outside, and use what is passed to the work for the work's own statements.");
        }
    }

    /** Guards a connection that was just borrowed. A broken one is closed. */
    protected static GuardedConnection guarded(Connection connection) throws SQLException {
        try {
            return new GuardedConnection(connection);
        } catch (SQLException | RuntimeException | Error broken) {
            connection.close();
            throw broken;
        }
    }

    final void leave(LentConnection<C> borrowed) {
        left.add(borrowed);
    }

    /** Tries once more for each, from a caller with enough stack and memory. */
    private void giveBackLeft() {
        for (LentConnection<C> next; (next = left.poll()) != null; ) {
            next.discardAndClose();
        }
    }
}
