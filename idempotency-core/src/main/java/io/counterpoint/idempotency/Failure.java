package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;
import java.io.Serializable;

/**
 * Why an attempt failed permanently, as reported to every retry with its key.
 *
 * <p>It is stored and shown to every holder of the key, so it must not carry secrets. Text that is too long is cut, and
 * characters that a database would refuse are replaced by {@code ?}: to describe a failure never fails.
 *
 * @param code a short name for programs, cut to {@value #MAX_CODE_LENGTH} characters
 * @param message a sentence for people, cut to {@value #MAX_MESSAGE_LENGTH} characters; may be empty
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

    /** The code of an attempt whose runs all encountered a serialization failure or a deadlock. */
    public static final String CONFLICT = "conflict";

    /** The code of an attempt whose work timed out waiting for a lock or a statement. */
    public static final String TIMEOUT = "timeout";

    /** The code of an attempt whose work lost its connection, or whose database was unavailable. */
    public static final String UNAVAILABLE = "unavailable";

    /** The code of an attempt whose work got any other error from the database. */
    public static final String ERROR = "error";

    /**
     * Cuts and cleans both texts.
     *
     * @param code a short name for programs
     * @param message a sentence for people
     */
    public Failure {
        code = storable(code, MAX_CODE_LENGTH);
        message = storable(message, MAX_MESSAGE_LENGTH);
    }

    /**
     * Describes an exception that the database did not throw, unless the operation describes it itself: by the simple
     * name of its class, without a message, which might contain secrets.
     *
     * @param thrown what the work threw
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
