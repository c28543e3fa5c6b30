package io.counterpoint.idempotency;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;

/**
 * The name of one attempt: who may see its answer, which operation it is for, and the value that the client chose.
 *
 * <p>Equal keys name the same attempt; nothing is trimmed, folded or normalised. Each part has 1 to
 * {@value #MAX_LENGTH} visible characters: letters, digits, marks, punctuation and symbols, but no white space, control,
 * formatting or private-use character. {@link #toString()} never shows the scope or the value.
 *
 * @param scope who may see the answer, with its kind, so that scopes of different kinds cannot collide: {@code user:42}
 * @param operation the name of the operation: {@code create-group}
 * @param value what the client sent; it names one attempt, not an intention
 */
public record IdempotencyKey(String scope, String operation, String value) implements Comparable<IdempotencyKey> {

    /** The greatest length of each part, in {@code char}s. */
    public static final int MAX_LENGTH = 255;

    private static final Comparator<IdempotencyKey> ORDER = Comparator.comparing(IdempotencyKey::scope)
            .thenComparing(IdempotencyKey::operation)
            .thenComparing(IdempotencyKey::value);

    /**
     * Checks each part.
     *
     * @param scope who may see the answer
     * @param operation the name of the operation
     * @param value what the client sent
     * @throws InvalidKeyException if a part is empty, too long, or has a character that is not visible
     */
    public IdempotencyKey {
        requireVisible("scope", scope);
        requireVisible("operation", operation);
        requireVisible("value", value);
    }

    /**
     * A digest of the whole key, safe to log and to derive a downstream key from. The same key has the same hash in
     * every process and every version.
     *
     * @return 64 lower-case hexadecimal digits of SHA-256
     */
    public String hash() {
        MessageDigest digest = Fingerprint.sha256();
        for (String part : new String[] {scope, operation, value}) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(Fingerprint.length(bytes.length));
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * By scope, operation and value, each compared as a {@link String}: the order in which all callers lock several
     * records.
     */
    @Override
    public int compareTo(IdempotencyKey other) {
        return ORDER.compare(this, other);
    }

    /** The operation and the first 16 digits of the {@link #hash()}. */
    @Override
    public String toString() {
        return operation + "#" + hash().substring(0, 16);
    }

    static void requireVisible(String part, String text) {
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new InvalidKeyException("The " + part + " of an idempotency key needs 1 to " + MAX_LENGTH
                    + " visible characters, found " + text.length() + ".");
        }
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            if (!isVisible(character)) {
                throw new InvalidKeyException("The " + part + " of an idempotency key needs visible characters only,"
                        + " found " + String.format("U+%04X", character) + " at index " + i + ".");
            }
            i += Character.charCount(character);
        }
    }

    private static boolean isVisible(int character) {
        if (character < 0x7f) {
            return character > 0x20;
        }
        return switch (Character.getType(character)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.SPACE_SEPARATOR,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** A part of a key that is refused; nothing has been claimed or changed. */
    public static final class InvalidKeyException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        InvalidKeyException(String message) {
            super(message);
        }
    }
}
