package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.SQLException;
import java.util.Optional;
import org.jdbi.v3.core.JdbiException;

/** How errors of a database are shown and stored: by codes and names, never by its text, which may contain values. */
public final class DatabaseErrors {

    /** The class of SQLSTATEs. */
    private static final String CONSTRAINT_VIOLATION = "23";

    private DatabaseErrors() {}

    /** What the database said, without its text: the state, and the constraint where the driver names it. */
    static String inShort(SQLException thrown, Dialect dialect) {
        if (thrown instanceof Dialect.Refusal refusal) {
            return String.valueOf(refusal.getMessage());
        }
        String state = thrown.getSQLState() == null ? "no SQLSTATE" : "SQLSTATE " + thrown.getSQLState();
        return dialect.constraint(thrown)
                .map(constraint -> state + ", constraint " + constraint)
                .orElse(state);
    }

    /** What the database or its driver threw, by codes that are the same for every database. */
    public static Optional<Failure> describe(Throwable thrown, Fault fault) {
        if (!(thrown instanceof SQLException || thrown instanceof JdbiException || thrown instanceof StoreException)) {
            return Optional.empty();
        }
        return Optional.of(new Failure(
                switch (fault) {
                    case CONFLICT -> Failure.CONFLICT;
                    case LOCK_TIMEOUT, CANCELLED -> Failure.TIMEOUT;
                    case CONNECTION_LOST -> Failure.UNAVAILABLE;
                    case STATEMENT_REFUSED -> breaksConstraint(thrown) ? Failure.CONSTRAINT : Failure.ERROR;
                    case UNRECOGNISED -> Failure.ERROR;
                },
                ""));
    }

    /** For a statement of this library, which names nothing but the table: it is not there, or not as it has to be. */
    public static Optional<String> remedy(Throwable thrown, Dialect dialect) {
        return thrown instanceof StoreException
                        && thrown.getCause() instanceof SQLException sql
                        && dialect.isOutOfReach(sql)
                ? Optional.of("the table " + dialect.table() + " cannot be used (" + inShort(sql, dialect)
                        + "): create it with " + dialect.schemaFile() + ", or give the role of the connections its"
                        + " rights; checkTable() of the store names what is missing")
                : Optional.empty();
    }

    private static boolean breaksConstraint(Throwable thrown) {
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < SqlErrorClassifier.DEPTH; depth++) {
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState().startsWith(CONSTRAINT_VIOLATION);
            }
            at = at.getCause();
        }
        return false;
    }
}
