package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Optional;

/** What an error that a database or its driver reports proves, and what a warning does. */
public interface ErrorRules {

    /** Those of the SQL standard, which prove something on any database. */
    ErrorRules STANDARD = new ErrorRules() {};

    /**
     * What an error proves. By default, by the SQLSTATEs of the standard. An answer that the database did not give about its
     * own transaction is never taken for a rollback: where in doubt, {@link Fault#UNRECOGNISED}.
     *
     * @param thrown what the driver threw
     * @return what it proves while the connection is open
     */
    default Fault classify(SQLException thrown) {
        return StandardErrors.classify(thrown);
    }

    /**
     * Whether a statement of this dialect was refused for what is missing: its table, one of its columns, or a right. As
     * built, by the classes of the standard, but for a prepared statement of another session behind a gateway.
     *
     * @param thrown what the driver threw
     * @return whether somebody has to act before it can succeed
     */
    default boolean isOutOfReach(SQLException thrown) {
        String state = String.valueOf(thrown.getSQLState());
        return (state.startsWith("42") || state.startsWith("3F")) && !state.equals("42P05");
    }

    /**
     * Whether an error says that the server only reads, as one does that was a primary before. A pool would hand its
     * connection to the next caller; it is closed instead.
     *
     * @param thrown what the driver threw
     * @return whether another server may take the call
     */
    default boolean isReadOnly(SQLException thrown) {
        return StandardErrors.READ_ONLY.equals(thrown.getSQLState());
    }

    /**
     * The constraint that was broken, for messages. It must not contain values. By default: none.
     *
     * @param thrown what the driver threw
     * @return its name, if the driver names it
     */
    default Optional<String> constraint(SQLException thrown) {
        return Optional.empty();
    }

    /**
     * Whether an error in the middle of a call can leave the driver where it reads another call's answer next. By default it
     * can, so that the connection is closed after an {@link Error}.
     *
     * @return whether it can
     */
    default boolean losesStepByErrors() {
        return true;
    }

    /**
     * Whether a warning in the answer to a commit says nothing about the commit. By default none is harmless: a commit that
     * is answered with a warning is in doubt.
     *
     * @param answered the warning; the others of its chain are asked for on their own
     * @return whether the commit counts as if it had not come
     */
    default boolean isHarmless(SQLWarning answered) {
        return false;
    }
}
