package io.counterpoint.idempotency.client;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * Reads the text members of a JSON object (RFC 8259) and skips all other values. Anything but a JSON object has no
 * members: a problem document is optional, and its status is sufficient.
 */
final class TextMembers {

    private static final int MAX_DEPTH = 64;
    private static final int HEX_DIGITS = 4;

    private final String text;
    private int at;

    private TextMembers(String text) {
        this.text = text;
    }

    static Map<String, String> of(byte[] document) {
        try {
            return new TextMembers(new String(document, StandardCharsets.UTF_8)).object();
        } catch (Malformed | NumberFormatException noObject) {
            return Map.of();
        }
    }

    private Map<String, String> object() throws Malformed {
        Map<String, String> members = new HashMap<>();
        expect('{');
        if (peek() == '}') {
            return members;
        }
        do {
            String name = string();
            expect(':');
            if (peek() == '"') {
                members.put(name, string());
            } else {
                skip(0);
            }
        } while (another());
        expect('}');
        return members;
    }

    private boolean another() throws Malformed {
        if (peek() == ',') {
            at++;
            return true;
        }
        return false;
    }

    private void skip(int depth) throws Malformed {
        char first = peek();
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            skipNested(depth, first == '{' ? '}' : ']');
        } else {
            int from = at;
            while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            if (at == from) {
                throw new Malformed();
            }
        }
    }

    private void skipNested(int depth, char end) throws Malformed {
        if (depth == MAX_DEPTH) {
            throw new Malformed();
        }
        at++;
        if (peek() == end) {
            at++;
            return;
        }
        do {
            if (end == '}') {
                string();
                expect(':');
            }
            skip(depth + 1);
        } while (another());
        expect(end);
    }

    private String string() throws Malformed {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (true) {
            char character = next();
            if (character == '"') {
                return value.toString();
            }
            value.append(character == '\\' ? escaped() : character);
        }
    }

    private char escaped() throws Malformed {
        char character = next();
        return switch (character) {
            case '"', '\\', '/' -> character;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + HEX_DIGITS > text.length()) {
                    throw new Malformed();
                }
                at += HEX_DIGITS;
                yield (char) HexFormat.fromHexDigits(text, at - HEX_DIGITS, at);
            }
            default -> throw new Malformed();
        };
    }

    private void expect(char expected) throws Malformed {
        if (peek() != expected) {
            throw new Malformed();
        }
        at++;
    }

    /** The next non-white-space character. */
    private char peek() throws Malformed {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        char character = next();
        at--;
        return character;
    }

    private char next() throws Malformed {
        if (at >= text.length()) {
            throw new Malformed();
        }
        return text.charAt(at++);
    }

    /** Thrown if this is not a JSON object. */
    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed() {
            super(null, null, false, false);
        }
    }
}
