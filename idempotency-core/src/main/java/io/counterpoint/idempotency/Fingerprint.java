package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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
 * The digest of a request. The same key with a different fingerprint is rejected.
 *
 * <p>It is SHA-256 over a canonical form in which every part carries its type and length, so {@code ("a", "bc")} and
 * {@code ("ab", "c")} differ. The form is the same in every process and every version of this library.
 */
public final class Fingerprint {

    private static final int BYTES = 32;

    private static final int MAX_DIGITS = 1_100;

    /** More bits than the longest permitted number has, on both sides of its decimal point. */
    private static final int MAX_BITS = 7_400;

    private static final int MAX_DEPTH = 100;

    private static final long MAX_BYTES = 64L << 20;

    private final byte[] digest;

    private Fingerprint(byte[] digest) {
        this.digest = digest;
    }

    /**
     * Returns the fingerprint of a request, computed from the parts that identify it.
     *
     * <p>Parts may be strings, booleans, whole numbers and {@code BigDecimal} (compared by value: {@code 1}, {@code 1L}
     * and {@code 1.00} are the same), {@code double} and {@code float} (compared bit by bit), {@link UUID}, enums (by
     * name), {@code java.time} values, {@code byte[]}, fingerprints, {@code null}, and lists of these in their order.
     * Anything else has no canonical form and is rejected.
     *
     * <p>A number may have up to 1,100 digits before and after its decimal point, which covers every {@code double}.
     * Lists may be nested 100 deep. All parts together may take up 64 MiB, counting five extra bytes for each part.
     * Within these bounds, the time is linear in the size of the input.
     *
     * @param parts the parts, in a fixed order; no parts means "there is nothing to compare"
     * @return their fingerprint
     * @throws InvalidRequestException if a part exceeds a bound or contains an unpaired surrogate
     * @throws IllegalArgumentException if a part is of a class without a canonical form
     */
    public static Fingerprint ofParts(@Nullable Object... parts) {
        Form form = new Form();
        form.addList(Arrays.asList(parts));
        return new Fingerprint(form.digest.digest());
    }

    /**
     * Returns the fingerprint of a request that consists of these bytes, equal to that of {@link #ofParts} with them as
     * the only part. To restore a stored fingerprint, use {@link #fromBytes} instead: a fingerprint of a fingerprint
     * would match no record.
     *
     * @param request the whole request
     * @return its fingerprint
     * @throws InvalidRequestException if there are more than 64 MiB
     */
    public static Fingerprint ofBytes(byte[] request) {
        return ofParts((Object) request);
    }

    /**
     * Restores a fingerprint from the bytes that a store wrote.
     *
     * @param digest the bytes of {@link #toBytes()}
     * @return the same fingerprint
     * @throws IllegalArgumentException if the length is not 32 bytes
     */
    public static Fingerprint fromBytes(byte[] digest) {
        if (digest.length != BYTES) {
            throw new IllegalArgumentException(
                    "A fingerprint must be " + BYTES + " bytes long, found " + digest.length + ".");
        }
        return new Fingerprint(digest.clone());
    }

    /**
     * Returns the digest, for a store to write.
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
            throw new IllegalStateException("SHA-256 is missing, although every Java platform provides it.", e);
        }
    }

    static byte[] length(int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    /** Feeds the canonical form of a request into a digest and enforces the bounds. */
    private static final class Form {
        private final MessageDigest digest = sha256();
        private long room = MAX_BYTES;
        private int depth;

        void addList(List<?> parts) {
            if (depth > MAX_DEPTH) {
                throw new InvalidRequestException("The lists of a request are nested more than " + MAX_DEPTH + ""
                        + " levels deep. Pass the parts that identify the request, or a digest of it.");
            }
            depth++;
            begin('L', parts.size(), 0);
            for (Object part : parts) {
                addPart(part);
            }
            depth--;
        }

        private void addPart(@Nullable Object part) {
            if (part instanceof String text) {
                addText('s', text);
            } else if (part instanceof Integer
                    || part instanceof Long
                    || part instanceof Short
                    || part instanceof Byte) {
                addNumber(BigDecimal.valueOf(((Number) part).longValue()));
            } else if (part instanceof BigInteger number) {
                addNumber(new BigDecimal(number));
            } else if (part instanceof BigDecimal number) {
                addNumber(number);
            } else if (part instanceof Double number) {
                add('d', ByteBuffer.allocate(Double.BYTES).putDouble(number).array());
            } else if (part instanceof Float number) {
                add('f', ByteBuffer.allocate(Float.BYTES).putFloat(number).array());
            } else if (part instanceof Boolean flag) {
                add('b', new byte[] {(byte) (flag ? 1 : 0)});
            } else if (part instanceof Character character) {
                addText('s', character.toString());
            } else if (part instanceof UUID id) {
                addText('u', id.toString());
            } else if (part instanceof Enum<?> constant) {
                addText('e', constant.name());
            } else if (part instanceof Temporal
                    || part instanceof Duration
                    || part instanceof Period
                    || part instanceof ZoneId) {
                addTime(part);
            } else if (part instanceof byte[] bytes) {
                add('x', bytes);
            } else if (part instanceof Fingerprint fingerprint) {
                add('h', fingerprint.digest);
            } else if (part instanceof List<?> list) {
                addList(list);
            } else if (part == null) {
                add('0', new byte[0]);
            } else {
                throw new IllegalArgumentException(
                        "A " + part.getClass().getName() + " has no canonical form. Pass the parts of it that"
                                + " identify the request: strings, numbers, identifiers, enums, times, bytes, and"
                                + " lists of these. Pass a set or a map as a sorted list.");
            }
        }

        private void addNumber(BigDecimal number) {
            addText('n', canonical(number));
        }

        private void addTime(Object time) {
            if (!time.getClass().getName().startsWith("java.time.")) {
                throw new IllegalArgumentException(
                        "A " + time.getClass().getName() + " is not a java.time value and has no canonical form.");
            }
            addText('t', time.getClass().getSimpleName() + ' ' + time);
        }

        private void addText(char type, String text) {
            byte[] bytes;
            try {
                bytes = Characters.utf8(text);
            } catch (IllegalArgumentException halfAPair) {
                throw new InvalidRequestException(halfAPair.getMessage());
            }
            add(type, bytes);
        }

        private void add(char type, byte[] bytes) {
            begin(type, bytes.length, bytes.length);
            digest.update(bytes);
        }

        private void begin(char type, int length, int bytes) {
            room -= 1 + Integer.BYTES + bytes;
            if (room < 0) {
                throw new InvalidRequestException("The parts of a request exceed " + (MAX_BYTES >> 20) + " MiB. Pass"
                        + " a digest of the larger parts instead.");
            }
            digest.update((byte) type);
            digest.update(length(length));
        }
    }

    /** Strips trailing zeros by counting them as text: repeated division by ten would take quadratic time. */
    private static String canonical(BigDecimal number) {
        if (number.signum() == 0) {
            return "0";
        }
        BigInteger unscaled = number.unscaledValue();
        // Check bits first: counting the digits of a long number costs more than a fingerprint may.
        if (number.scale() > MAX_DIGITS
                || unscaled.bitLength() > MAX_BITS
                || (long) number.precision() - number.scale() > MAX_DIGITS) {
            throw new InvalidRequestException("A number in a request has more than " + MAX_DIGITS + " digits before"
                    + " or after its decimal point. Pass it as a string.");
        }
        String digits = unscaled.toString();
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        return new BigDecimal(new BigInteger(digits.substring(0, end)), number.scale() - (digits.length() - end))
                .toString();
    }
}
