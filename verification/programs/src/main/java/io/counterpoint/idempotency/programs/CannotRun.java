package io.counterpoint.idempotency.programs;

import java.net.UnknownHostException;
import java.nio.file.FileSystemException;

/** The program cannot do what it was asked to do. The message is one line with the reason. */
public final class CannotRun extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a reason that the user can act on.
     *
     * @param message one line that ends in a full stop
     */
    public CannotRun(String message) {
        super(message);
    }

    /** The first line of the root cause's message, without a full stop. */
    public static String rootMessage(Throwable thrown) {
        Throwable root = thrown;
        for (Throwable cause = root.getCause(); cause != null; cause = root.getCause()) {
            root = cause;
        }
        String message = root.getMessage();
        if (message == null || root instanceof UnknownHostException || root instanceof FileSystemException) {
            // The message of these exceptions is only a name.
            return root.getClass().getSimpleName() + (message == null ? "" : " " + message);
        }
        return message.lines().findFirst().orElse("").replaceFirst("\\.$", "");
    }
}
