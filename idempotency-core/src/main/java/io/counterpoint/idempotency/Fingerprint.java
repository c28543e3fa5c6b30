package io.counterpoint.idempotency;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.Temporal;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The digest of a request: the same key with another fingerprint is refused.
 *
 * <p>It is SHA-256 over a canonical form in which every part carries its type and length, so {@code ("a", "bc")} and
 * {@code ("ab", "c")} differ. The form is the same in every process and every version of this library.
 */
public final class Fingerprint {

    private static final int BYTES = 32;

    private final byte[] digest;

    private Fingerprint(byte[] digest) {
        this.digest = digest;
    }

    /**
     * The fingerprint of a request, taken from those of its parts that make it <em>this</em> request.
     *
     * <p>Parts may be strings, booleans, whole numbers and {@code BigDecimal} (compared by value: {@code 1}, {@code 1L}
     * and {@code 1.00} are the same), {@code double} and {@code float} (compared bit by bit), {@link UUID}, enums (by
     * name), {@code java.time} values, {@code byte[]}, fingerprints, {@code null}, and lists of these in their order.
     * Anything else has no canonical form and is refused.
     *
     * @param parts the parts, in a fixed order; none stands for "there is nothing to compare"
     * @return their fingerprint
     * @throws IllegalArgumentException if a part has no canonical form
     */
    public static Fingerprint of(@Nullable Object... parts) {
        MessageDigest digest = sha256();
        addList(digest, Arrays.asList(parts));
        return new Fingerprint(digest.digest());
    }

    /**
     * A fingerprint as a store wrote it.
     *
     * @param digest the bytes of {@link #toBytes()}
     * @return the same fingerprint
     * @throws IllegalArgumentException if there are not 32 bytes
     */
    public static Fingerprint fromBytes(byte[] digest) {
        if (digest.length != BYTES) {
            throw new IllegalArgumentException("A fingerprint has " + BYTES + " bytes, found " + digest.length + ".");
        }
        return new Fingerprint(digest.clone());
    }

    /**
     * The digest, for a store to write.
     *
     * @return a new array of 32 bytes
     */
    public byte[] toBytes() {
        return digest.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that && Arrays.equals(digest, that.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    /** The first 16 hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(digest, 0, 8);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }

    static byte[] length(int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    private static void addList(MessageDigest digest, List<?> parts) {
        digest.update((byte) 'L');
        digest.update(length(parts.size()));
        for (Object part : parts) {
            addPart(digest, part);
        }
    }

    private static void addPart(MessageDigest digest, @Nullable Object part) {
        if (part instanceof String text) {
            add(digest, 's', utf8(text));
        } else if (part instanceof Integer || part instanceof Long || part instanceof Short || part instanceof Byte) {
            addNumber(digest, BigDecimal.valueOf(((Number) part).longValue()));
        } else if (part instanceof BigInteger number) {
            addNumber(digest, new BigDecimal(number));
        } else if (part instanceof BigDecimal number) {
            addNumber(digest, number);
        } else if (part instanceof Double number) {
            add(digest, 'd', ByteBuffer.allocate(Double.BYTES).putDouble(number).array());
        } else if (part instanceof Float number) {
            add(digest, 'f', ByteBuffer.allocate(Float.BYTES).putFloat(number).array());
        } else if (part instanceof Boolean flag) {
            add(digest, 'b', new byte[] {(byte) (flag ? 1 : 0)});
        } else if (part instanceof Character character) {
            add(digest, 's', utf8(character.toString()));
        } else if (part instanceof UUID id) {
            add(digest, 'u', utf8(id.toString()));
        } else if (part instanceof Enum<?> constant) {
            add(digest, 'e', utf8(constant.name()));
        } else if (part instanceof Temporal
                || part instanceof Duration
                || part instanceof Period
                || part instanceof ZoneId) {
            addTime(digest, part);
        } else if (part instanceof byte[] bytes) {
            add(digest, 'x', bytes);
        } else if (part instanceof Fingerprint fingerprint) {
            add(digest, 'h', fingerprint.digest);
        } else if (part instanceof List<?> list) {
            addList(digest, list);
        } else if (part == null) {
            add(digest, '0', new byte[0]);
        } else {
            throw new IllegalArgumentException("A " + part.getClass().getName() + " has no canonical form. Name the"
                    + " parts of it that make the request: strings, numbers, identifiers, enums, times, bytes, and"
                    + " lists of them; a set or a map goes in as a sorted list.");
        }
    }

    private static void addNumber(MessageDigest digest, BigDecimal number) {
        add(digest, 'n', utf8(number.stripTrailingZeros().toString()));
    }

    private static void addTime(MessageDigest digest, Object time) {
        if (!time.getClass().getName().startsWith("java.time.")) {
            throw new IllegalArgumentException(
                    "A " + time.getClass().getName() + " is not a java.time value and has" + " no canonical form.");
        }
        add(digest, 't', utf8(time.getClass().getSimpleName() + ' ' + time));
    }

    private static void add(MessageDigest digest, char type, byte[] bytes) {
        digest.update((byte) type);
        digest.update(length(bytes.length));
        digest.update(bytes);
    }

    private static byte[] utf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return strictly(text);
            }
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] strictly(String text) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            // getBytes would turn every broken surrogate into the same '?', and two requests into one.
            throw new IllegalArgumentException("A string with half a surrogate pair has no canonical form.", e);
        }
    }
}
