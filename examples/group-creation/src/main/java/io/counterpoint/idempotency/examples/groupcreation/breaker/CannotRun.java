package io.counterpoint.idempotency.examples.groupcreation.breaker;

import java.net.UnknownHostException;
import java.nio.file.FileSystemException;

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
}
