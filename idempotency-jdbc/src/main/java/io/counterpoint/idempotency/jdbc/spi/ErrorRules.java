package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Optional;

/** What an error reported by a database or its driver proves, and what a warning means. */
public interface ErrorRules {

    /** The rules of the SQL standard, which apply to any database. */
    ErrorRules STANDARD = new ErrorRules() {};

    /**
     * What an error proves. By default, by the SQLSTATEs of the standard. An error that says nothing about the
     * transaction itself is never treated as a rollback: if in doubt, return {@link Fault#UNRECOGNISED}.
     *
     * @param thrown what the driver threw
     * @return what it proves while the connection is open
     */
    default Fault classify(SQLException thrown) {
        return StandardErrors.classify(thrown);
    }

    /**
     * Whether a statement of this dialect was rejected because its table, one of its columns, or a privilege is
     * missing. By default, according to the classes of the standard, except for a prepared statement of another session
     * behind a gateway.
     *
     * @param thrown what the driver threw
     * @return whether something has to be fixed before it can succeed
     */
    default boolean isOutOfReach(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return (state.startsWith("42") || state.startsWith("3F")) && !state.equals("42P05");
    }

    /**
     * Whether an error means that the server is read-only, such as a former primary. A pool would give its connection
     * to the next caller, so it is closed.
     *
     * @param thrown what the driver threw
     * @return whether another server can handle the call
     */
    default boolean isReadOnly(SQLException thrown) {
        return StandardErrors.READ_ONLY.equals(thrown.getSQLState());
    }

    /**
     * Returns the violated constraint, for messages. It must not contain values. By default: none.
     *
     * @param thrown what the driver threw
     * @return its name, if the driver names it
     */
    default Optional<String> constraint(SQLException thrown) {
        return Optional.empty();
    }

    /**
     * Whether an error in the middle of a call can leave the driver in a state in which it reads another call's reply
     * next. By default it can, so the connection is closed after an {@link Error}.
     *
     * @return whether it can
     */
    default boolean losesStepByErrors() {
        return true;
    }

    /**
     * Whether a warning in the reply to a commit says nothing about the commit. By default, none is harmless: a commit
     * that returns a warning is in doubt.
     *
     * @param answered the warning; the others in its chain are passed separately
     * @return whether to ignore the warning
     */
    default boolean isHarmless(SQLWarning answered) {
        return false;
    }
}
