package io.counterpoint.idempotency.jdbc.session;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The last statement of a transaction that a transaction manager commits, and the database's replies to it and to the
 * commit. The manager's callback before the commit sends the statement, and the one after the commit reads the
 * warnings.
 */
public final class MarkedCommit {

    private enum State {
        NOT_SENT,
        REFUSED,
        FAILED,
        ANSWERED
    }

    private final Connection connection;
    private final BooleanSupplier statement;
    private State state = State.NOT_SENT;
    private @Nullable RuntimeException failure;
    private @Nullable Connection driver;
    private @Nullable SQLWarning warning;

    /**
     * Creates a statement that is not sent yet.
     *
     * @param connection the transaction's connection
     * @param statement sends the statement and returns whether the commit may follow
     */
    public MarkedCommit(Connection connection, BooleanSupplier statement) {
        this.connection = connection;
        this.statement = statement;
    }

    /**
     * Sends the statement.
     *
     * @return whether the commit may follow
     * @throws IllegalStateException if the connection failed after the reply
     */
    public boolean send() {
        state = State.FAILED;
        try {
            if (!statement.getAsBoolean()) {
                state = State.REFUSED;
                return false;
            }
            // The driver's connection: a pool clears the warnings when its connection is returned.
            driver = connection.unwrap(Connection.class);
            driver.clearWarnings();
        } catch (RuntimeException thrown) {
            failure = thrown;
            throw thrown;
        } catch (SQLException thrown) {
            throw new IllegalStateException("The connection failed after the mark.", thrown);
        } catch (Error thrown) {
            abort();
            throw thrown;
        }
        state = State.ANSWERED;
        return true;
    }

    /** The driver may have been in the middle of a message, so nobody may continue to read from it. */
    private void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException gone) {
            // The connection is then unusable anyway.
        }
    }

    /** Reads the warnings about the commit before the connection is returned to a pool. */
    public void readWarnings() {
        try {
            warning = driver == null ? null : driver.getWarnings();
        } catch (SQLException closed) {
            // Then no warning is available.
            warning = null;
        }
    }

    /** Whether the statement was not sent, so that nothing is committed. */
    public boolean isUnsent() {
        return state == State.NOT_SENT;
    }

    /** Whether the database rejected the statement. */
    public boolean isRefused() {
        return state == State.REFUSED;
    }

    /** Whether the commit may have followed the statement. */
    public boolean isAnswered() {
        return state == State.ANSWERED;
    }

    /** What the statement threw. The commit was never sent. */
    public @Nullable RuntimeException failure() {
        return failure;
    }

    /** The database's warning about the commit. */
    public @Nullable SQLWarning warning() {
        return warning;
    }
}
