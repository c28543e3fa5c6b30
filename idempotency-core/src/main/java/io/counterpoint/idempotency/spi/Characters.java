package io.counterpoint.idempotency.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Character functions with the same results on every JDK. {@link String#toLowerCase}, {@link String#equalsIgnoreCase}
 * and the properties of {@link Character} depend on the JDK's version of Unicode; decisions about a request must not.
 */
public final class Characters {

    private Characters() {}

    /**
     * Converts the letters {@code A} to {@code Z} to lower case and leaves all other characters unchanged.
     *
     * @param text the text
     * @return the same result on every JDK
     */
    public static String lowerCaseAscii(String text) {
        StringBuilder lower = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character >= 'A' && character <= 'Z') {
                lower.setCharAt(i, (char) (character + ('a' - 'A')));
            }
        }
        return lower.toString();
    }

    /**
     * Returns whether two texts differ at most in the case of the letters {@code A} to {@code Z}.
     *
     * @param one a text
     * @param other another
     * @return the same result on every JDK
     */
    public static boolean equalsIgnoringAsciiCase(String one, String other) {
        return lowerCaseAscii(one).equals(lowerCaseAscii(other));
    }

    /**
     * Encodes a text so that {@link #ofUtf8} decodes the same text. {@link String#getBytes} would replace every
     * unpaired surrogate with the same question mark, making different texts equal.
     *
     * @param text the text
     * @return its UTF-8
     * @throws IllegalArgumentException if the text contains an unpaired surrogate; the message reveals nothing of the
     *     text
     */
    public static byte[] utf8(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isHalfAPair(text.charAt(i))) {
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
            throw new IllegalArgumentException(
                    "A text with an unpaired surrogate has no UTF-8 encoding and no canonical form.", e);
        }
    }

    /**
     * Decodes bytes. {@link String#String(byte[], java.nio.charset.Charset)} would replace everything that is not valid
     * UTF-8 with the same character.
     *
     * @param bytes the bytes
     * @return the text that {@link #utf8} encodes as these bytes
     * @throws IllegalArgumentException if the bytes are not valid UTF-8; the message reveals nothing of them
     */
    public static String ofUtf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("These " + bytes.length + " bytes are not valid UTF-8.", e);
        }
    }

    /**
     * Returns whether a code point is a control character: U+0000 to U+001F, or U+007F to U+009F.
     *
     * @param character a code point
     * @return the same result on every JDK
     */
    public static boolean isControl(int character) {
        return character < 0x20 || (character >= 0x7f && character <= 0x9f);
    }

    /**
     * Returns whether a code point is an unpaired surrogate.
     *
     * @param character a code point
     * @return the same result on every JDK
     */
    public static boolean isHalfAPair(int character) {
        return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
    }
}
