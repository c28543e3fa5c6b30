package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;
import java.io.Serializable;

/**
 * Why an attempt failed permanently, as reported to every retry with its key.
 *
 * <p>It is stored and shown to every holder of the key, so it must not contain secrets. Text that is too long is
 * truncated, and characters that a database would reject are replaced with {@code ?}, so describing a failure never
 * fails.
 *
 * @param code a short name for programs, truncated to {@value #MAX_CODE_LENGTH} characters
 * @param message a sentence for people, truncated to {@value #MAX_MESSAGE_LENGTH} characters; may be empty
 * @serial exclude
 */
@SuppressWarnings("InvalidBlockTag") // Javadoc knows @serial for classes
public record Failure(String code, String message) implements Serializable {

    private static final long serialVersionUID = 1L;

    /** The maximum length of a code. */
    public static final int MAX_CODE_LENGTH = 100;

    /** The maximum length of a message. */
    public static final int MAX_MESSAGE_LENGTH = 1000;

    /** The code of an attempt whose leader died, or stalled, before anything was committed. */
    public static final String ABANDONED = "abandoned";

    /** The code of an attempt whose work violated a database constraint. */
    public static final String CONSTRAINT = "constraint";

    /** The code of an attempt all of whose permitted runs encountered a serialization failure or a deadlock. */
    public static final String CONFLICT = "conflict";

    /** The code of an attempt whose work waited too long for a lock or a statement. */
    public static final String TIMEOUT = "timeout";

    /** The code of an attempt whose work lost its connection, or whose database was unavailable. */
    public static final String UNAVAILABLE = "unavailable";

    /** The code of an attempt whose work got any other error from the database. */
    public static final String ERROR = "error";

    /**
     * Truncates and sanitizes both texts.
     *
     * @param code a short name for programs
     * @param message a sentence for people
     */
    public Failure {
        code = storable(code, MAX_CODE_LENGTH);
        message = storable(message, MAX_MESSAGE_LENGTH);
    }

    /**
     * Returns the default description of an exception that ended an attempt, used unless the operation overrides it or
     * the database threw the exception: the simple name of its class, without its message, which might contain secrets.
     *
     * @param thrown the exception thrown by the work
     * @return its description
     */
    public static Failure of(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        return new Failure(name.isEmpty() ? "failed" : name, "");
    }

    private static String storable(String text, int length) {
        String cut = text.length() <= length ? text : text.substring(0, length);
        StringBuilder clean = new StringBuilder(cut.length());
        cut.codePoints()
                .map(character ->
                        Characters.isControl(character) || Characters.isHalfAPair(character) ? '?' : character)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }
}
