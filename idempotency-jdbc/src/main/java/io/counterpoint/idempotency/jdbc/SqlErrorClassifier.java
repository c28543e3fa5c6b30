package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * What an SQLSTATE proves. A state that is not an answer of the database about its transaction is never taken for a
 * rollback. A lost reply, a lost request and a killed server all look the same.
 */
final class SqlErrorClassifier {

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    static final int DEPTH = 20;

    private SqlErrorClassifier() {}

    static Fault classify(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < DEPTH; depth++) {
            if (at instanceof StoreException known) {
                return known.fault();
            }
            if (at instanceof SQLException sql) {
                Fault fault = ofSql(sql);
                if (fault != Fault.UNRECOGNISED) {
                    return fault;
                }
            }
            at = at.getCause();
        }
        return Fault.UNRECOGNISED;
    }

    private static Fault ofSql(SQLException thrown) {
        Fault fault = ofState(thrown.getSQLState());
        if (fault == Fault.UNRECOGNISED
                && (thrown instanceof SQLTransientConnectionException
                        || thrown instanceof SQLNonTransientConnectionException
                        || thrown instanceof SQLRecoverableException)) {
            return Fault.CONNECTION_LOST;
        }
        return fault;
    }

    private static Fault ofState(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return Fault.UNRECOGNISED;
        }
        return switch (state) {
            case "40001", "40P01", "90131" -> Fault.CONFLICT;
            case "55P03", "HYT00" -> Fault.LOCK_TIMEOUT;
            case "57014" -> Fault.CANCELLED;
            // The statement's completion is unknown; a session ended from outside.
            case "40003", "25P03", "25P04", "90067", "90098", "90121" -> Fault.CONNECTION_LOST;
            default -> ofClass(state.substring(0, 2));
        };
    }

    private static Fault ofClass(String stateClass) {
        return switch (stateClass) {
            case "08", "57" -> Fault.CONNECTION_LOST;
            case "53", "58" -> Fault.CANCELLED;
            case "99", "HY", "50" -> Fault.UNRECOGNISED;
            default -> Fault.STATEMENT_REFUSED;
        };
    }
}
