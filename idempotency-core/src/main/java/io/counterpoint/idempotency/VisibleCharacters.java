package io.counterpoint.idempotency;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The characters that a part of a key may contain. The ranges are listed here because {@link Character} depends on the
 * JDK's version of Unicode, while two processes with different JDKs must accept the same keys and derive the same scope
 * for a caller.
 *
 * <p>A code point outside these ranges is accepted, whether or not any version of Unicode assigns it a character.
 */
final class VisibleCharacters {

    /** The first and the last code point of each rejected range, in ascending order. */
    private static final int[] REFUSED = {
        0x0000, 0x0020, // controls and the space
        0x007f, 0x00a0, // controls and the no-break space
        0x00ad, 0x00ad, // soft hyphen
        0x0600, 0x0605, // number format signs
        0x061c, 0x061c, // a directional mark
        0x06dd, 0x06dd, // end of ayah
        0x070f, 0x070f, // an abbreviation mark
        0x0890, 0x0891, // marks above numbers
        0x08e2, 0x08e2, // end of ayah, disputed
        0x1680, 0x1680, // a space
        0x180e, 0x180e, // a vowel separator
        0x2000, 0x200f, // spaces, joiners and directional marks
        0x2028, 0x202f, // line separators, directional overrides and a space
        0x205f, 0x206f, // a space, invisible operators and directional isolates
        0x3000, 0x3000, // a space
        0xd800, 0xf8ff, // surrogates and private use
        0xfdd0, 0xfdef, // noncharacters
        0xfeff, 0xfeff, // the byte order mark
        0xfff0, 0xfffb, // annotations
        0xfffe, 0xffff, // noncharacters
        0x110bd, 0x110bd, // a number format sign
        0x110cd, 0x110cd, // a number format sign
        0x13430, 0x1343f, // hieroglyph controls
        0x1bca0, 0x1bca3, // shorthand controls
        0x1d173, 0x1d17a, // musical controls
        0xe0000, 0xe00ff, // tags
        0xe01f0, 0xe0fff, // reserved for default-ignorable characters
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

    /**
     * Returns a part of a key if it consists of 1 to {@value IdempotencyKey#MAX_LENGTH} such characters, and rejects
     * any other.
     */
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
