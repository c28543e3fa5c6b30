package io.counterpoint.idempotency.jdbc.spi;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;

/**
 * What an SQLSTATE proves according to the standard. A state that is not the database's own statement about its
 * transaction is never taken for a rollback. A lost reply, a lost request and a killed server all look the same.
 */
public final class StandardErrors {

    /** A write in a read-only transaction. */
    public static final String READ_ONLY = "25006";

    private static final int LENGTH = 5;

    private StandardErrors() {}

    /**
     * Returns what an error proves.
     *
     * @param thrown the exception thrown by the driver
     * @return what it proves
     */
    public static Fault classify(SQLException thrown) {
        String state = thrown.getSQLState();
        Fault fault = state == null || state.length() != LENGTH ? Fault.UNRECOGNISED : ofState(state);
        return fault == Fault.UNRECOGNISED && isOfConnection(thrown) ? Fault.CONNECTION_LOST : fault;
    }

    private static boolean isOfConnection(SQLException thrown) {
        return thrown instanceof SQLTransientConnectionException
                || thrown instanceof SQLNonTransientConnectionException
                || thrown instanceof SQLRecoverableException;
    }

    private static Fault ofState(String state) {
        return switch (state) {
            case "40001" -> Fault.CONFLICT;
            // The server is read-only, like a demoted primary.
            case READ_ONLY -> Fault.CANCELLED;
            // Statement completion unknown.
            case "40003" -> Fault.CONNECTION_LOST;
            default ->
                switch (state.substring(0, 2)) {
                    case "08" -> Fault.CONNECTION_LOST;
                    case "0A", "20", "21", "22", "23", "24", "25", "26", "27", "28", "2B", "2D", "2F" ->
                        Fault.STATEMENT_REFUSED;
                    case "38", "39", "3B", "3C", "3D", "3F", "40", "42", "44" -> Fault.STATEMENT_REFUSED;
                    default -> Fault.UNRECOGNISED;
                };
        };
    }
}
