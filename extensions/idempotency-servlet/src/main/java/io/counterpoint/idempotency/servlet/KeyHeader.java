package io.counterpoint.idempotency.servlet;

import java.util.List;

/**
 * Parses a key from the lines of a header field.
 *
 * <p>Strict parsing follows the draft: one Item whose value is a String of RFC 9651, section 3.3.3, here without
 * parameters. Lenient parsing also accepts a bare token, which most clients send: {@code Idempotency-Key: 7f3a} names
 * the same key as {@code Idempotency-Key: "7f3a"}.
 */
final class KeyHeader {

    /** As in the core; longer lines are not even parsed. */
    private static final int MAX_LENGTH = 255;

    private KeyHeader() {}

    /**
     * Parses the key.
     *
     * @param lines the field's lines, at least one
     * @throws Malformed if they contain no key; its message never contains what was sent
     */
    static String read(List<String> lines, boolean lenient) throws Malformed {
        if (lines.size() != 1) {
            throw new Malformed("The header was sent " + lines.size() + " times; send it once.");
        }
        String line = trimmed(lines.get(0));
        String key = line.startsWith("\"") ? string(line) : token(line, lenient);
        if (key.isEmpty()) {
            throw new Malformed("The key is empty.");
        }
        if (key.length() > MAX_LENGTH) {
            throw new Malformed("The key is longer than " + MAX_LENGTH + " characters.");
        }
        return key;
    }

    private static String string(String line) throws Malformed {
        StringBuilder key = new StringBuilder(Math.min(line.length(), MAX_LENGTH + 1));
        for (int i = 1; i < line.length(); i++) {
            char character = line.charAt(i);
            if (character == '"') {
                if (i != line.length() - 1) {
                    throw new Malformed(
                            "The closing quote is followed by other characters; send one String and nothing else.");
                }
                return key.toString();
            }
            if (character == '\\') {
                i++;
                character = i < line.length() ? line.charAt(i) : 0;
                if (character != '"' && character != '\\') {
                    throw new Malformed("A backslash must be followed by a quote or another backslash.");
                }
            }
            if (key.length() <= MAX_LENGTH) {
                key.append(visible(character));
            }
        }
        throw new Malformed("The closing quote is missing.");
    }

    private static String token(String line, boolean lenient) throws Malformed {
        if (!lenient) {
            throw new Malformed("The key must be in double quotes.");
        }
        for (int i = 0; i < line.length(); i++) {
            char character = visible(line.charAt(i));
            if (character == ',' || character == ';' || character == '"' || character == '\\') {
                throw new Malformed(
                        "A key without quotes must not contain a comma, semicolon, quote or backslash; lists and"
                                + " parameters are rejected.");
            }
        }
        return line;
    }

    /** The core accepts no spaces in keys, so neither does a String here, although RFC 9651 would. */
    private static char visible(char character) throws Malformed {
        if (character <= 0x20 || character >= 0x7f) {
            throw new Malformed("The key contains a blank, a control character or a non-ASCII character.");
        }
        return character;
    }

    /** Removes surrounding white space, which belongs to the message, not to the value. */
    private static String trimmed(String line) {
        int from = 0;
        int to = line.length();
        while (from < to && isBlank(line.charAt(from))) {
            from++;
        }
        while (to > from && isBlank(line.charAt(to - 1))) {
            to--;
        }
        return line.substring(from, to);
    }

    private static boolean isBlank(char character) {
        return character == ' ' || character == '\t';
    }

    /** Thrown if the field contains no key. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        private final String why;

        Malformed(String why) {
            super(why, null, false, false);
            this.why = why;
        }

        String why() {
            return why;
        }
    }
}
