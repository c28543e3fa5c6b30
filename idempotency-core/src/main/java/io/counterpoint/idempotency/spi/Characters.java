package io.counterpoint.idempotency.spi;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Properties of characters that are the same on every JDK. {@link String#toLowerCase}, {@link
 * String#equalsIgnoreCase} and the properties of {@link Character} depend on the version of Unicode that the JDK knows.
 * Decisions about a request must not depend on it.
 */
public final class Characters {

    private Characters() {}

    /**
     * Returns a text with the letters {@code A} to {@code Z} in lower case. All other characters are unchanged.
     *
     * @param text the text
     * @return the same on every JDK
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
     * Whether two texts are equal except for the case of the letters {@code A} to {@code Z}.
     *
     * @param one a text
     * @param other another
     * @return the same on every JDK
     */
    public static boolean equalsIgnoringAsciiCase(String one, String other) {
        return lowerCaseAscii(one).equals(lowerCaseAscii(other));
    }

    /**
     * Encodes a text as bytes from which {@link #ofUtf8} returns the same text. {@link String#getBytes} would turn each
     * half of a surrogate pair into the same question mark, and two texts into one.
     *
     * @param text the text
     * @return its UTF-8
     * @throws IllegalArgumentException if the text has half a surrogate pair; the message does not reveal the text
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
     * The text of bytes. {@link String#String(byte[], java.nio.charset.Charset)} would turn all invalid bytes into the
     * same character.
     *
     * @param bytes the bytes
     * @return the text whose {@link #utf8} they are
     * @throws IllegalArgumentException if they are not valid UTF-8; the message does not reveal them
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
     * Whether a code point is a control character: U+0000 to U+001F, or U+007F to U+009F.
     *
     * @param character a code point
     * @return the same on every JDK
     */
    public static boolean isControl(int character) {
        return character < 0x20 || (character >= 0x7f && character <= 0x9f);
    }

    /**
     * Whether a code point is half of a surrogate pair, without its other half.
     *
     * @param character a code point
     * @return the same on every JDK
     */
    public static boolean isHalfAPair(int character) {
        return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
    }
}
