package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.Connections.Borrowed;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.OptionalInt;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * A borrowed connection and what a session has changed of it. It goes back as it came, or it is ended. What the session
 * does not see to end well is never given to another caller.
 */
final class LentConnection {

    private final Dialect dialect;
    private final Borrowed borrowed;
    private final Connection connection;
    private final boolean autoCommit;

    /**
     * Whether the connection has to be ended: its transaction was not seen to end, or the driver may have been in the
     * middle of a message. JDBC commits an open transaction when autocommit is switched on.
     */
    private boolean broken;

    private OptionalInt isolationBefore = OptionalInt.empty();

    LentConnection(Dialect dialect, Borrowed borrowed) {
        this.dialect = dialect;
        this.borrowed = borrowed;
        this.connection = borrowed.guard().delegate();
        this.autoCommit = borrowed.guard().initialAutoCommit();
    }

    /** An error may have struck in the middle of a message: the driver would read another caller's answer next. */
    <T> T watched(Supplier<T> calls) {
        try {
            return calls.get();
        } catch (Error thrown) {
            struckByError();
            throw thrown;
        }
    }

    void struckByError() {
        broken |= dialect.losesStepByErrors();
    }

    void switchAutoCommit(boolean wanted) {
        try {
            if (connection.getAutoCommit() != wanted) {
                connection.setAutoCommit(wanted);
            }
        } catch (SQLException thrown) {
            throw StoreException.of("Could not begin a transaction", dialect, connection, thrown);
        } catch (Error thrown) {
            struckByError();
            throw thrown;
        }
    }

    /** Sets the isolation of the transaction that begins with the next statement. */
    void isolate(int level) {
        try {
            if (isolationBefore.isEmpty()) {
                isolationBefore = dialect.isolationToRestore(connection);
            }
            dialect.isolate(connection, level);
        } catch (SQLException thrown) {
            throw StoreException.of("Could not set the isolation level", dialect, connection, thrown);
        }
    }

    void rollback(Throwable because) {
        try {
            connection.rollback();
        } catch (SQLException | RuntimeException | Error thrown) {
            broken = true;
            suppress(because, thrown);
        }
        try {
            borrowed.ended(Handle::rollback);
        } catch (RuntimeException | Error thrown) {
            suppress(because, thrown);
        }
    }

    private static void suppress(Throwable thrown, Throwable also) {
        if (thrown != also) {
            thrown.addSuppressed(also);
        }
    }

    void giveBack() {
        borrowed.close(isAsItWasLent());
    }

    /**
     * Whether the connection is as it came. What a callback has begun after the end is rolled back. Turning autocommit
     * on would commit an open transaction, so a transaction whose end was not seen is never ended by that.
     */
    private boolean isAsItWasLent() {
        if (broken) {
            return false;
        }
        try {
            if (!connection.isClosed()) {
                restore();
            }
            return true;
        } catch (SQLException | RuntimeException | Error unknown) {
            return false;
        }
    }

    private void restore() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        if (isolationBefore.isPresent()) {
            connection.setTransactionIsolation(isolationBefore.getAsInt());
        }
        if (connection.getAutoCommit() != autoCommit) {
            connection.setAutoCommit(autoCommit);
        }
    }
}
