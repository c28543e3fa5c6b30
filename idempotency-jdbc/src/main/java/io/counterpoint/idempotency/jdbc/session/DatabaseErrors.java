package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Optional;

/** How errors of a database are shown and stored: by codes and names, never by its text, which may contain values. */
public final class DatabaseErrors {

    /** The class of SQLSTATEs. */
    private static final String CONSTRAINT_VIOLATION = "23";

    /** The state of refusals for a session that is not as it has to be. */
    public static final String NOT_READY = "55000";

    private DatabaseErrors() {}

    /** What the database said, without its text: the state, and the constraint where the driver names it. */
    static String inShort(SQLException thrown, ErrorRules rules) {
        if (thrown instanceof Dialect.Refusal refusal) {
            return String.valueOf(refusal.getMessage());
        }
        if (rules.isReadOnly(thrown)) {
            return state(thrown)
                    + ", the server is read-only: it is a standby or a demoted primary; its connection is closed";
        }
        return rules.constraint(thrown)
                .map(constraint -> state(thrown) + ", constraint " + constraint)
                .orElseGet(() -> state(thrown));
    }

    /** Whether the server only reads, by whatever was thrown on the way. */
    static boolean isReadOnly(Throwable thrown, ErrorRules rules) {
        return ofDriver(thrown).filter(rules::isReadOnly).isPresent();
    }

    /** What the database or its driver threw on the way, with a state. */
    private static Optional<SQLException> ofDriver(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < SqlErrorClassifier.DEPTH; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return Optional.of(sql);
            }
            at = at.getCause();
        }
        return Optional.empty();
    }

    static String state(SQLException thrown) {
        return thrown.getSQLState() == null
                ? "no SQLSTATE, so it comes from the driver or a gateway, not from the database"
                : "SQLSTATE " + thrown.getSQLState();
    }

    /** Whether the database or its driver threw it, or this library for them. */
    public static boolean isOfDatabase(Throwable thrown) {
        return thrown instanceof SQLException || thrown instanceof StoreException;
    }

    /** What the database or its driver threw, by codes that are the same for every database. */
    public static Failure describe(Throwable thrown, Fault fault) {
        return new Failure(
                switch (fault) {
                    case CONFLICT -> Failure.CONFLICT;
                    case LOCK_TIMEOUT, CANCELLED -> Failure.TIMEOUT;
                    case CONNECTION_LOST -> Failure.UNAVAILABLE;
                    case STATEMENT_REFUSED -> breaksConstraint(thrown) ? Failure.CONSTRAINT : Failure.ERROR;
                    case RECORD_UNREADABLE, UNRECOGNISED -> Failure.ERROR;
                },
                "");
    }

    /** For a statement of this library: its table, or the session, is not as it has to be. */
    public static Optional<String> remedy(Throwable thrown, Dialect dialect) {
        if (!(thrown instanceof StoreException refused)
                || refused.fault() == Fault.CONNECTION_LOST
                || !(thrown.getCause() instanceof SQLException sql)) {
            return Optional.empty();
        }
        if (NOT_READY.equals(sql.getSQLState()) && sql instanceof Dialect.Refusal) {
            return Optional.of(inShort(sql, dialect));
        }
        return dialect.isOutOfReach(sql)
                ? Optional.of("the table " + dialect.table() + " cannot be used (" + inShort(sql, dialect)
                        + "): create it with " + dialect.schemaFile() + ", or grant the role of the connections its"
                        + " privileges; checkTable() of the store reports what is missing, but not what policies of"
                        + " row-level security refuse")
                : Optional.empty();
    }

    private static boolean breaksConstraint(Throwable thrown) {
        return ofDriver(thrown)
                .filter(sql -> sql.getSQLState().startsWith(CONSTRAINT_VIOLATION))
                .isPresent();
    }
}
