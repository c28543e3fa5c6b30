package io.counterpoint.idempotency.consistency.outbox;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if events were not appended, so that their transaction has to be rolled back. Because driver messages repeat
 * bound values, this exception contains only topics and identifiers, and its cause only the SQLSTATE and the vendor
 * code.
 */
public final class AppendFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Limits the depth of cause chains, so that cycles terminate. */
    private static final int DEPTH = 20;

    private static final int NAMED = 5;

    AppendFailedException(String table, Collection<OutboxEvent> events, Throwable thrown) {
        super(
                "Appending " + events.size() + " events to " + table + " failed: "
                        + events.stream().limit(NAMED).toList() + (events.size() > NAMED ? " and more" : "")
                        + ". The database returned " + state(thrown) + ", and nothing may be committed. Roll back,"
                        + " and look up the SQLSTATE.",
                bare(thrown));
    }

    private static String state(Throwable thrown) {
        SQLException sql = sql(thrown);
        return sql == null || sql.getSQLState() == null ? "no SQLSTATE" : "SQLSTATE " + sql.getSQLState();
    }

    /** An exception of the same kind, as far as that reveals the fate of the transaction. */
    private static @Nullable SQLException bare(Throwable thrown) {
        SQLException sql = sql(thrown);
        if (sql == null) {
            return null;
        }
        String text = sql.getClass().getName() + ", text withheld";
        String state = sql.getSQLState();
        int code = sql.getErrorCode();
        if (sql instanceof SQLTransientConnectionException
                || sql instanceof SQLNonTransientConnectionException
                || sql instanceof SQLRecoverableException) {
            return new SQLNonTransientConnectionException(text, state, code);
        }
        return new SQLException(text, state, code);
    }

    /** The first one with an SQLSTATE, otherwise the first. */
    private static @Nullable SQLException sql(Throwable thrown) {
        SQLException first = null;
        Throwable at = thrown;
        for (int depth = 0; at != null && depth < DEPTH; depth++) {
            if (at instanceof SQLException sql) {
                if (sql.getSQLState() != null) {
                    return sql;
                }
                first = first == null ? sql : first;
            }
            at = at.getCause();
        }
        return first;
    }
}
