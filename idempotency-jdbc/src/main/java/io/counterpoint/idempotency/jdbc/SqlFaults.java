package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.IdempotencyStore.Fault;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Optional;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/**
 * What an SQLSTATE proves. A state that is not an answer of the database about its transaction is never taken for a
 * roll-back: the reply lost, the request lost and the server killed all look the same.
 */
final class SqlFaults {

    /** Deeper chains of causes are not looked at, so that a cycle ends. */
    private static final int DEPTH = 20;

    /** The class of SQLSTATEs. */
    private static final String CONSTRAINT_VIOLATION = "23";

    private SqlFaults() {}

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

    /** What the database said, without its text: the state, and the constraint where the driver names it. */
    static String inShort(SQLException thrown) {
        String state = thrown.getSQLState() == null ? "no SQLSTATE" : "SQLSTATE " + thrown.getSQLState();
        return PostgreSqlErrors.constraint(thrown)
                .map(constraint -> state + ", constraint " + constraint)
                .orElse(state);
    }

    /** What the database or its driver threw, by codes that are the same for every database. */
    static Optional<Failure> describe(Throwable thrown) {
        if (!(thrown instanceof SQLException || thrown instanceof JdbiException || thrown instanceof StoreException)) {
            return Optional.empty();
        }
        return Optional.of(new Failure(
                switch (classify(thrown)) {
                    case CONFLICT -> Failure.CONFLICT;
                    case LOCKED, CANCELLED -> Failure.TIMEOUT;
                    case LOST -> Failure.UNAVAILABLE;
                    case REFUSED -> breaksConstraint(thrown) ? Failure.CONSTRAINT : Failure.ERROR;
                    case UNRECOGNISED -> Failure.ERROR;
                },
                ""));
    }

    private static boolean breaksConstraint(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < DEPTH; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState().startsWith(CONSTRAINT_VIOLATION);
            }
            at = at.getCause();
        }
        return false;
    }

    private static Fault ofSql(SQLException thrown) {
        Fault fault = ofState(thrown.getSQLState());
        if (fault == Fault.UNRECOGNISED
                && (thrown instanceof SQLTransientConnectionException
                        || thrown instanceof SQLNonTransientConnectionException
                        || thrown instanceof SQLRecoverableException)) {
            return Fault.LOST;
        }
        return fault;
    }

    private static Fault ofState(@Nullable String state) {
        if (state == null || state.length() != 5) {
            return Fault.UNRECOGNISED;
        }
        return switch (state) {
            case "40001", "40P01", "90131" -> Fault.CONFLICT;
            case "55P03", "HYT00" -> Fault.LOCKED;
            case "57014" -> Fault.CANCELLED;
            // The statement's completion is unknown; a session ended from outside.
            case "40003", "25P03", "25P04", "90067", "90098", "90121" -> Fault.LOST;
            default -> ofClass(state.substring(0, 2));
        };
    }

    private static Fault ofClass(String stateClass) {
        return switch (stateClass) {
            case "08", "57" -> Fault.LOST;
            case "53", "58" -> Fault.CANCELLED;
            case "99", "HY", "50" -> Fault.UNRECOGNISED;
            default -> Fault.REFUSED;
        };
    }
}
