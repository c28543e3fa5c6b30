package io.counterpoint.idempotency.jdbc.guard;

import io.counterpoint.idempotency.jdbc.spi.JoinableConnection;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection passed to domain code, which cannot be used to end its transaction. The generated {@code
 * ForwardingConnection} contains the methods that are allowed or rejected regardless of their arguments; this class
 * contains the rest. Every object that leads back to a connection leads to this one.
 *
 * <p>It reports that autocommit is off, so Jdbi joins the transaction instead of beginning or ending one. The isolation
 * level and the read-only mode may only be set to their current values. Settings that would outlast the transaction are
 * rejected.
 *
 * <p>SQL text is rejected if it is certain to end the transaction. Otherwise it passes, and the end of the transaction
 * is checked. {@link #unwrap} to a driver class is not restricted.
 */
public final class GuardedConnection extends ForwardingConnection implements JoinableConnection {

    private static final String OWNED = ": this transaction belongs to an idempotent operation, ";

    private final boolean initialAutoCommit;
    private boolean ended;
    private boolean givenBack;
    private volatile boolean closeWasRefused;
    private Set<String> commits = Set.of();
    private Set<String> tableChoices = Set.of();

    /** Runs before the next call of the thread that runs the work. */
    private @Nullable BeforeUse before;

    /** A step before a call. */
    public interface BeforeUse {
        /** Runs the step; if it fails, the call does nothing. */
        void run() throws SQLException;
    }

    /** Whether the database has executed a statement of domain code without an error. */
    boolean executed;

    /** Whether domain code has obtained a driver object, whose statements are not tracked. */
    boolean passed;

    /**
     * Guards a connection.
     *
     * @param delegate the borrowed connection, in its original mode
     * @throws SQLException if it is broken
     */
    @SuppressWarnings("this-escape")
    public GuardedConnection(Connection delegate) throws SQLException {
        super(null, delegate);
        this.guard = new Guard(this);
        this.initialAutoCommit = delegate.getAutoCommit();
    }

    /** {@return the borrowed connection} */
    public Connection delegate() {
        return delegate;
    }

    /** {@return the autocommit mode in which it was borrowed} */
    public boolean initialAutoCommit() {
        return initialAutoCommit;
    }

    /** {@return the gate that controls access to it} */
    public Gate gate() {
        return guard.gate();
    }

    /**
     * Begins a transaction with domain code. Objects of the previous one can be used only by the thread that runs the
     * work.
     */
    public void begin() {
        if (gate().hasEnded()) {
            guard = new Guard(this);
        }
        executed = false;
        passed = false;
        before = null;
    }

    /**
     * Registers a step that runs once when the work's thread uses the connection again, as callbacks after the commit
     * may.
     */
    public void beforeNextUse(BeforeUse step) {
        before = step;
    }

    void isUsed() throws SQLException {
        if (before != null) {
            before.run();
            before = null;
        }
    }

    /**
     * Adds statements to reject.
     *
     * @param committing the first words of those that commit, in upper case
     * @param choosingTables those that choose the table of an unqualified name, also for later calls
     */
    public void refuse(Set<String> committing, Set<String> choosingTables) {
        commits = committing;
        tableChoices = choosingTables;
    }

    void requireNoEnd(@Nullable String sql) throws SQLException {
        Optional<String> end = sql == null ? Optional.empty() : StatementText.endIn(sql, commits, tableChoices);
        if (end.isPresent()) {
            if (tableChoices.contains(end.get())) {
                throw new SQLException(
                        "Refused to execute " + end.get() + " in the work of an operation: later calls on this"
                                + " connection would use another table of records. Qualify names in the work, change a"
                                + " role with SET LOCAL ROLE, or name the table with its schema by table(…) of the"
                                + " builder.",
                        "2D000");
            }
            throw end.get().startsWith("RESET")
                    ? new SQLException(
                            "Refused to execute " + end.get() + " in the work of an operation: it would reset what"
                                    + " the library has set for this transaction. Use SET LOCAL, which ends with the"
                                    + " transaction, or RESET with the name of a setting.",
                            "2D000")
                    : refused("execute " + end.get());
        }
    }

    /** {@return whether the database has executed any statement of domain code without an error} */
    public boolean hasExecuted() {
        return executed;
    }

    /** {@return whether domain code has obtained a driver object} */
    public boolean hasPassed() {
        return passed;
    }

    /**
     * {@return whether domain code has executed a statement, or has obtained a driver object, whose statements are not
     * tracked}
     */
    public boolean mayHaveExecuted() {
        return executed || passed;
    }

    /**
     * Lets Jdbi, and anything else that has joined, run its callbacks and bookkeeping after the end of the transaction.
     */
    @Override
    public void ended(Runnable bookKeeping) {
        ended = true;
        try {
            bookKeeping.run();
        } finally {
            ended = false;
        }
    }

    /**
     * Ends all use and closes the driver's connection, unless the handle does that. Jdbi does not close a handle again
     * that the work has already tried to close.
     *
     * @param byHandle whether a handle has been created
     * @throws SQLException if it cannot be closed
     */
    public void giveBack(boolean byHandle) throws SQLException {
        gate().close();
        if (!givenBack && (!byHandle || closeWasRefused)) {
            delegate.close();
        }
    }

    private void refuseUnlessEnded(String what) throws SQLException {
        if (!ended) {
            throw refused(what);
        }
    }

    static SQLException refused(String what) {
        return new SQLException(
                "Refused to " + what + OWNED + "whose record must commit with it. Return from the work to commit, or"
                        + " throw to roll back.",
                "2D000");
    }

    static SQLException refusedSetting(String what) {
        return new SQLException(settingOutlasts(what), "2D000");
    }

    private static String settingOutlasts(String what) {
        return "Refused to set " + what + OWNED + "which the setting would outlast. Configure it where connections"
                + " are created.";
    }

    // ---- the end of the transaction ------------------------------------------------------------------------------

    @Override
    public boolean getAutoCommit() {
        return false;
    }

    @Override
    public void setAutoCommit(boolean autoCommit) throws SQLException {
        if (autoCommit) {
            refuseUnlessEnded("turn autocommit on");
        }
    }

    @Override
    public void commit() throws SQLException {
        refuseUnlessEnded("commit");
    }

    @Override
    public void rollback() throws SQLException {
        refuseUnlessEnded("roll back");
    }

    @Override
    public void close() throws SQLException {
        if (ended && gate().isOwner()) {
            givenBack = true;
            delegate.close();
            return;
        }
        closeWasRefused = true;
        if (gate().isOwner() || !gate().hasEnded()) {
            throw refused("close the connection");
        }
    }

    // ---- isolation and read-only mode ----------------------------------------------------------------------------

    /** Setting a level makes H2 commit; on PostgreSQL the level is already fixed. */
    @Override
    public void setTransactionIsolation(int level) throws SQLException {
        if (level != getTransactionIsolation()) {
            throw refused("change the isolation level");
        }
    }

    /** A read-only transaction could not write its record. */
    @Override
    public void setReadOnly(boolean readOnly) throws SQLException {
        if (readOnly != isReadOnly()) {
            throw refused("change the read-only mode");
        }
    }

    // ---- settings that would outlast it --------------------------------------------------------------------------

    @Override
    public void setClientInfo(String name, String value) throws SQLClientInfoException {
        throw new SQLClientInfoException(
                settingOutlasts("client info"), "2D000", Map.of(name, ClientInfoStatus.REASON_UNKNOWN));
    }

    @Override
    public void setClientInfo(Properties properties) throws SQLClientInfoException {
        throw new SQLClientInfoException(settingOutlasts("client info"), "2D000", Map.of());
    }
}
