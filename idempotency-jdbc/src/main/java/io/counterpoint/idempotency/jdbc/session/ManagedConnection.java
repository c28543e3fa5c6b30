package io.counterpoint.idempotency.jdbc.session;

import java.sql.SQLException;
import java.util.function.BooleanSupplier;

/**
 * A {@link java.sql.Connection} whose transactions a transaction manager ends, such as one of JTA. With {@code
 * setAutoCommit(false)} one begins. Nothing else is sent together with its end.
 */
public interface ManagedConnection {

    /**
     * Commits, with a last statement after all that others write before the commit.
     *
     * @param last sends the statement, and returns whether the commit may follow it
     * @return whether the transaction is committed; false if the statement said no, or was not asked
     * @throws SQLException if it is not known whether the transaction is committed, whatever the cause says
     */
    boolean commitAfter(BooleanSupplier last) throws SQLException;

    /**
     * Whether the work has ended the transaction, or has taken it from this thread.
     *
     * @return true if so: what the work did may be committed
     */
    boolean hasEnded();
}
