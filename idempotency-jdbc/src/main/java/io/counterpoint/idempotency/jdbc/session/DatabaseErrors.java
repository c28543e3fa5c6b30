package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.ErrorRules;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Describes database errors for display and storage: by codes and names, never by their text, which may contain values.
 */
public final class DatabaseErrors {

    /** The SQLSTATE class. */
    private static final String CONSTRAINT_VIOLATION = "23";

    /** The state of rejections for a session in an unsuitable state. */
    public static final String NOT_READY = "55000";

    private DatabaseErrors() {}

    /** A short description without the database's text: the state, and the constraint if the driver names it. */
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

    /** Whether the exception or any of its causes shows that the server is read-only. */
    static boolean isReadOnly(Throwable thrown, ErrorRules rules) {
        return ofDriver(thrown).filter(rules::isReadOnly).isPresent();
    }

    /** Whether the database or its driver threw something on the way, with a state. */
    static boolean isOfDriver(Throwable thrown) {
        return ofDriver(thrown).isPresent();
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

    /** Whether the database or its driver threw it, or this library on their behalf. */
    public static boolean isOfDatabase(Throwable thrown) {
        return thrown instanceof SQLException || thrown instanceof StoreException;
    }

    /** Describes what the database or its driver threw, with codes that are the same for every database. */
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

    /** Returns what to fix if a statement of this library failed because of its table or session. */
    public static Optional<String> remedy(Throwable thrown, Dialect dialect) {
        if (!(thrown instanceof StoreException refused)
                || refused.fault() == Fault.CONNECTION_LOST
                || !(thrown.getCause() instanceof SQLException sql)) {
            return Optional.empty();
        }
        if (refused.fault() == Fault.STATEMENT_REFUSED && sql instanceof Dialect.Refusal) {
            return Optional.of(inShort(sql, dialect));
        }
        return dialect.isOutOfReach(sql)
                ? Optional.of("the table " + dialect.table() + " cannot be used (" + inShort(sql, dialect)
                        + "): create it with " + dialect.schemaFile() + ", change it to match that file, or grant the"
                        + " role of the connections its privileges; checkTable() of the store reports what is wrong,"
                        + " but not what policies of row-level security refuse")
                : Optional.empty();
    }

    private static boolean breaksConstraint(Throwable thrown) {
        return ofDriver(thrown)
                .filter(sql -> sql.getSQLState().startsWith(CONSTRAINT_VIOLATION))
                .isPresent();
    }
}
