package io.counterpoint.idempotency.spi;

/**
 * What is asked about characters, answered alike on every JDK. {@link String#toLowerCase}, {@link
 * String#equalsIgnoreCase} and the properties of {@link Character} depend on the version of Unicode that the JDK knows.
 * What decides about a request must not.
 */
public final class Characters {

    private Characters() {}

    /**
     * A text with the letters {@code A} to {@code Z} in lower case. All other characters stay.
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
     * Whether two texts differ in the case of the letters {@code A} to {@code Z} only.
     *
     * @param one a text
     * @param other another
     * @return the same on every JDK
     */
    public static boolean equalsIgnoringAsciiCase(String one, String other) {
        return lowerCaseAscii(one).equals(lowerCaseAscii(other));
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
