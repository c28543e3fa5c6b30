package io.counterpoint.idempotency.servlet;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fields of a form ({@code application/x-www-form-urlencoded}): each name with its values in order. Parsing takes
 * linear time.
 */
final class FormFields {

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final Charset charset;
    private final CodingErrorAction onError;
    private int count;

    private FormFields(Charset charset, CodingErrorAction onError) {
        this.charset = charset;
        this.onError = onError;
    }

    /**
     * Parses a form sent by a client.
     *
     * @param most the maximum number of fields
     * @throws Malformed if there are more, or an escape or a character is invalid; its message reveals nothing of the
     *     form
     */
    static FormFields read(byte[] form, Charset charset, int most) throws Malformed {
        return new FormFields(charset, CodingErrorAction.REPORT).read(form, most);
    }

    /** Parses a form again in a different charset: invalid characters are replaced. */
    static FormFields readAgain(byte[] form, Charset charset) {
        try {
            return new FormFields(charset, CodingErrorAction.REPLACE).read(form, Integer.MAX_VALUE);
        } catch (Malformed never) {
            throw new IllegalStateException("The form was already read and cannot be read again.", never);
        }
    }

    private FormFields read(byte[] form, int most) throws Malformed {
        String text = decoded(form, 0, form.length);
        for (int from = 0; from < text.length(); ) {
            int end = text.indexOf('&', from);
            end = end < 0 ? text.length() : end;
            if (end > from) {
                if (++count > most) {
                    throw new Malformed("The form has more than " + most + " fields.");
                }
                int equals = text.indexOf('=', from);
                int nameEnd = equals < 0 || equals > end ? end : equals;
                add(unescaped(text, from, nameEnd), unescaped(text, Math.min(end, nameEnd + 1), end));
            }
            from = end + 1;
        }
        return this;
    }

    private void add(String name, String value) {
        values.computeIfAbsent(name, first -> new ArrayList<>(1)).add(value);
    }

    private String unescaped(String text, int from, int end) throws Malformed {
        StringBuilder plain = new StringBuilder(end - from);
        for (int at = from; at < end; ) {
            char character = text.charAt(at);
            if (character == '%') {
                int stop = at;
                while (stop < end && text.charAt(stop) == '%') {
                    stop += 3;
                }
                byte[] bytes = new byte[(stop - at) / 3];
                for (int i = 0; i < bytes.length; i++, at += 3) {
                    if (at + 2 >= end
                            || !HexFormat.isHexDigit(text.charAt(at + 1))
                            || !HexFormat.isHexDigit(text.charAt(at + 2))) {
                        throw new Malformed("A percent sign must be followed by two hexadecimal digits.");
                    }
                    bytes[i] = (byte) HexFormat.fromHexDigits(text, at + 1, at + 3);
                }
                plain.append(decoded(bytes, 0, bytes.length));
            } else {
                plain.append(character == '+' ? ' ' : character);
                at++;
            }
        }
        return plain.toString();
    }

    private String decoded(byte[] bytes, int from, int count) throws Malformed {
        try {
            return charset.newDecoder()
                    .onMalformedInput(onError)
                    .onUnmappableCharacter(onError)
                    .decode(ByteBuffer.wrap(bytes, from, count))
                    .toString();
        } catch (CharacterCodingException noCharacter) {
            throw new Malformed("The form is not encoded in the charset " + charset.name() + ".");
        }
    }

    /** Returns the number of fields. */
    int count() {
        return count;
    }

    Map<String, List<String>> values() {
        return values;
    }

    /** Thrown if the input is not a valid form. */
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
