package io.counterpoint.idempotency;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The characters that a part of a key may have. The ranges stand here, because {@link Character} answers by the version of
 * Unicode that its JDK knows: two processes with different JDKs must accept the same keys, and name one caller alike.
 *
 * <p>A code point outside these ranges is accepted, whether or not a version of Unicode gives it a character.
 */
final class VisibleCharacters {

    /** The first and the last code point of each range that is refused, in ascending order. */
    private static final int[] REFUSED = {
        0x0000, 0x0020, // controls and the blank
        0x007f, 0x00a0, // controls and the blank that does not break
        0x00ad, 0x00ad, // soft hyphen
        0x0600, 0x0605, // signs that format numbers
        0x061c, 0x061c, // a mark of direction
        0x06dd, 0x06dd, // end of ayah
        0x070f, 0x070f, // an abbreviation mark
        0x0890, 0x0891, // marks above numbers
        0x08e2, 0x08e2, // end of ayah, disputed
        0x1680, 0x1680, // a blank
        0x180e, 0x180e, // a separator of vowels
        0x2000, 0x200f, // blanks, joiners and marks of direction
        0x2028, 0x202f, // separators of lines, overrides of direction and a blank
        0x205f, 0x206f, // a blank, invisible operators and isolates of direction
        0x3000, 0x3000, // a blank
        0xd800, 0xf8ff, // halves of surrogate pairs, and private use
        0xfdd0, 0xfdef, // no characters
        0xfeff, 0xfeff, // the byte order mark
        0xfff0, 0xfffb, // annotations
        0xfffe, 0xffff, // no characters
        0x110bd, 0x110bd, // a sign that formats numbers
        0x110cd, 0x110cd, // a sign that formats numbers
        0x13430, 0x1343f, // controls of hieroglyphs
        0x1bca0, 0x1bca3, // controls of shorthand
        0x1d173, 0x1d17a, // controls of music
        0xe0000, 0xe00ff, // tags
        0xe01f0, 0xe0fff, // reserved for what is ignored
        0xf0000, 0x10ffff, // private use
    };

    private static final int NO_CHARACTER = 0xfffe;

    private VisibleCharacters() {}

    static boolean isVisible(int character) {
        if (character < 0x7f) {
            return character > 0x20;
        }
        int found = Arrays.binarySearch(REFUSED, character);
        boolean refused = found >= 0 || (-found - 1) % 2 == 1;
        return !refused && (character & NO_CHARACTER) != NO_CHARACTER;
    }

    /** Returns a part of a key that has 1 to {@value IdempotencyKey#MAX_LENGTH} of them, and refuses any other. */
    static String require(String part, @Nullable String text) {
        if (text == null) {
            throw new InvalidKeyException("The " + part + " of an idempotency key must not be null.");
        }
        if (text.isEmpty() || text.length() > IdempotencyKey.MAX_LENGTH) {
            throw new InvalidKeyException("The " + part + " of an idempotency key must be 1 to "
                    + IdempotencyKey.MAX_LENGTH + " visible characters, found " + text.length() + ".");
        }
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            if (!isVisible(character)) {
                throw new InvalidKeyException("The " + part + " of an idempotency key must contain only visible"
                        + " characters, found "
                        + String.format("U+%04X", character) + " at index " + i + ".");
            }
            i += Character.charCount(character);
        }
        return text;
    }
}
