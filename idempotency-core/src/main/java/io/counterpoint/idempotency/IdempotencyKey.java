package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;
import java.io.Serializable;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The name of one attempt: who may see its answer, which operation it is for, and the value that the client chose.
 *
 * <p>Equal keys name the same attempt; nothing is trimmed, folded or normalised. Each part has 1 to
 * {@value #MAX_LENGTH} visible characters: no white space, control, formatting or private-use character, and no half of
 * a surrogate pair. The refused ranges are fixed, so every JDK accepts the same keys. Characters that Unicode defines
 * later are accepted. {@link #toString()} never shows the scope or the value.
 *
 * @param scope who may see the answer, with its kind, so that scopes of different kinds cannot collide: {@code user:42}
 * @param operation the name of the operation: {@code create-group}
 * @param value what the client sent; it names one attempt, not an intention
 * @serial exclude
 */
@SuppressWarnings("InvalidBlockTag") // Javadoc knows @serial for classes
public record IdempotencyKey(String scope, String operation, String value)
        implements Comparable<IdempotencyKey>, Serializable {

    private static final long serialVersionUID = 1L;

    /** The greatest length of each part, in {@code char}s. */
    public static final int MAX_LENGTH = 255;

    private static final int MAX_KIND = 100;

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
     * The scope of somebody who was authenticated: {@code user:42} for the kind {@code user} and the name {@code 42}.
     *
     * <p>A name with other characters than visible ASCII, or of more than {@value #MAX_LENGTH} characters with its kind,
     * gives {@code user-sha256:} and a digest of it. So one name has one scope in every process, whatever its JDK.
     *
     * @param kind a constant of the application, of up to 100 visible ASCII characters
     * @param name the name of the authenticated party
     * @return the scope; empty for a name without a visible character: all its bearers would share their keys
     * @throws InvalidKeyException if the name has half a surrogate pair, or the kind is not acceptable
     */
    public static Optional<String> scopeOf(String kind, String name) {
        if (kind.isEmpty() || kind.length() > MAX_KIND || !isVisibleAscii(kind)) {
            throw new InvalidKeyException(
                    "The kind of a scope needs 1 to " + MAX_KIND + " visible ASCII characters," + " found "
                            + kind.length() + " characters" + (isVisibleAscii(kind) ? "." : ", some of them others."));
        }
        if (name.codePoints().noneMatch(VisibleCharacters::isVisible)) {
            return Optional.empty();
        }
        if (isVisibleAscii(name) && kind.length() + 1 + name.length() <= MAX_LENGTH) {
            return Optional.of(kind + ":" + name);
        }
        try {
            return Optional.of(kind + "-sha256:"
                    + HexFormat.of().formatHex(Fingerprint.ofParts(name).toBytes()));
        } catch (IllegalArgumentException unencodable) {
            throw new InvalidKeyException("The name of an authenticated party has half a surrogate pair, or is longer"
                    + " than a request may be. It has no scope, and nothing has been claimed or changed.");
        }
    }

    private static boolean isVisibleAscii(String text) {
        return text.chars().allMatch(character -> character > 0x20 && character < 0x7f);
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
            byte[] bytes = Characters.utf8(part);
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

    static void requireVisible(String part, @Nullable String text) {
        if (text == null) {
            throw new InvalidKeyException("The " + part + " of an idempotency key is missing: it is null.");
        }
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new InvalidKeyException("The " + part + " of an idempotency key needs 1 to " + MAX_LENGTH
                    + " visible characters, found " + text.length() + ".");
        }
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            if (!VisibleCharacters.isVisible(character)) {
                throw new InvalidKeyException("The " + part + " of an idempotency key needs visible characters only,"
                        + " found " + String.format("U+%04X", character) + " at index " + i + ".");
            }
            i += Character.charCount(character);
        }
    }

    /** A part of a key that is refused; nothing has been claimed or changed. */
    public static final class InvalidKeyException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        InvalidKeyException(String message) {
            super(message);
        }
    }
}
