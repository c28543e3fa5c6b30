package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Optional;

/** What errors and warnings of a database or its driver prove. */
public interface ErrorRules {

    /** The rules of the SQL standard, which apply to any database. */
    ErrorRules STANDARD = new ErrorRules() {};

    /**
     * Returns what an error proves. By default, uses the SQLSTATEs of the standard. Anything that is not the database's
     * own statement about its transaction must never be taken for a rollback: if in doubt, return {@link
     * Fault#UNRECOGNISED}.
     *
     * @param thrown the exception thrown by the driver
     * @return what it proves while the connection is open
     */
    default Fault classify(SQLException thrown) {
        return StandardErrors.classify(thrown);
    }

    /**
     * Returns whether a statement of this dialect was rejected because its table, one of its columns or a privilege is
     * missing, or because the table does not accept its values. By default, uses the SQLSTATEs of the standard and that
     * of PostgreSQL for relations that accept no rows, except for a prepared statement of another session behind a
     * gateway.
     *
     * @param thrown the exception thrown by the driver
     * @return whether something must be fixed before it can succeed
     */
    default boolean isOutOfReach(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return switch (state) {
            case "42P05" -> false;
            // A value too long; a required column without a value; a relation that accepts no rows.
            case "22001", "23502", "55000" -> true;
            default -> state.startsWith("42") || state.startsWith("3F");
        };
    }

    /**
     * Returns whether an error shows that the server is read-only, like a former primary. A pool would pass the
     * connection to the next caller, so it is closed instead.
     *
     * @param thrown the exception thrown by the driver
     * @return whether another server can handle the call
     */
    default boolean isReadOnly(SQLException thrown) {
        return StandardErrors.READ_ONLY.equals(thrown.getSQLState());
    }

    /**
     * Returns the violated constraint, for messages. It must not contain values. By default, returns none.
     *
     * @param thrown the exception thrown by the driver
     * @return its name, if the driver reports it
     */
    default Optional<String> constraint(SQLException thrown) {
        return Optional.empty();
    }

    /**
     * Returns whether an {@link Error} in the middle of a call can make the driver read the reply of a different call
     * next. By default, it can, so the connection is closed after an {@link Error}.
     *
     * @return whether it can
     */
    default boolean losesStepByErrors() {
        return true;
    }

    /**
     * Returns whether a warning in the reply to a commit says nothing about the commit. By default, no warning is
     * harmless: a commit with a warning is in doubt.
     *
     * @param answered the warning; the others in its chain are tested individually
     * @return whether the warning can be ignored
     */
    default boolean isHarmless(SQLWarning answered) {
        return false;
    }
}
