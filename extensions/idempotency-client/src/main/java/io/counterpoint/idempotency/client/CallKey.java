package io.counterpoint.idempotency.client;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;

/**
 * The key of one call: sent with all of its tries, and with no other call.
 *
 * <p>{@link #toString()} shows a digest, never the key.
 *
 * @param value 1 to {@value #MAX_LENGTH} visible ASCII characters
 */
public record CallKey(String value) {

    /** The maximum length of a key. */
    public static final int MAX_LENGTH = 255;

    /** The header that carries the key. */
    public static final String HEADER = "Idempotency-Key";

    private static final int SHOWN_BYTES = 8;

    /**
     * Checks the value.
     *
     * @param value 1 to {@value #MAX_LENGTH} visible ASCII characters
     * @throws IllegalArgumentException if the length or a character is not permitted; the message does not show the
     *     value
     */
    public CallKey {
        if (value.isEmpty() || value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("A key must be 1 to " + MAX_LENGTH + " visible ASCII characters, found "
                    + value.length() + " characters.");
        }
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) <= 0x20 || value.charAt(i) >= 0x7f) {
                throw new IllegalArgumentException("A key must contain only visible ASCII characters, found "
                        + String.format("U+%04X", (int) value.charAt(i)) + " at index " + i + ".");
            }
        }
    }

    /**
     * Creates a new key.
     *
     * @return a random version 4 UUID
     */
    public static CallKey random() {
        return new CallKey(UUID.randomUUID().toString());
    }

    /**
     * Returns the value of the header {@value #HEADER}.
     *
     * @return an RFC 9651 String, in double quotes
     */
    public String header() {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Returns the first 16 hexadecimal digits of the key's SHA-256. */
    @Override
    public String toString() {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(value.getBytes(StandardCharsets.UTF_8));
            return "key#" + HexFormat.of().formatHex(digest, 0, SHOWN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing, although every Java platform provides it.", e);
        }
    }
}
