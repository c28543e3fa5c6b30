package io.counterpoint.idempotency.examples.appplatform;

import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.sql.SQLException;

/** The program cannot do what it was asked to; the message is one line and tells the user why. */
final class CannotRun extends Exception {
    private static final long serialVersionUID = 1L;

    CannotRun(String message) {
        super(message);
    }

    /** The first line of what is at the bottom of it, without a full stop. */
    static String rootMessage(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable cause = root.getCause(); cause != null; cause = root.getCause()) {
            root = cause;
        }
        String message = root.getMessage();
        if (message == null || root instanceof UnknownHostException || root instanceof FileSystemException) {
            // Their messages are mere names.
            return root.getClass().getSimpleName() + (message == null ? "" : " " + message);
        }
        return message.lines().findFirst().orElse("").replaceFirst("\\.$", "");
    }

    /** What kind of failure is at the bottom of it, without its text: drivers repeat values in theirs. */
    static String kind(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            root = at;
            if (at instanceof SQLException sql && sql.getSQLState() != null) {
                return "the database refused it with SQLSTATE " + sql.getSQLState();
            }
        }
        return root.getClass().getSimpleName();
    }
}
