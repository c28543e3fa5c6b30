package io.counterpoint.idempotency.servlet;

import java.sql.SQLException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cause in the form in which it is logged. Database messages may contain values of the statement, such as a key, and
 * other exceptions repeat them, so only codes and stack traces of those are logged, without messages.
 */
final class LoggedCause extends Exception {
    private static final long serialVersionUID = 1L;

    private LoggedCause(String text, Throwable shown, @Nullable Throwable cause) {
        super(text, cause, false, true);
        setStackTrace(shown.getStackTrace());
    }

    static @Nullable Throwable of(@Nullable Throwable thrown, int depth) {
        return thrown == null || depth == 0
                ? null
                : new LoggedCause(textOf(thrown, depth), thrown, of(thrown.getCause(), depth - 1));
    }

    private static String textOf(Throwable thrown, int depth) {
        boolean saysWhatADatabaseSaid = Stream.iterate(thrown, at -> at != null, Throwable::getCause)
                .limit(depth)
                .anyMatch(SQLException.class::isInstance);
        if (!saysWhatADatabaseSaid) {
            return thrown.toString();
        }
        String type = thrown.getClass().getName();
        return thrown instanceof SQLException sql
                ? type + ", SQLSTATE " + sql.getSQLState() + ", code " + sql.getErrorCode()
                : type;
    }

    @Override
    @SuppressWarnings("OverrideThrowableToString") // represents another exception, whose class its text begins with
    public String toString() {
        return String.valueOf(getMessage());
    }
}
