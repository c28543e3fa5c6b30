package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A header's value with its parameters: {@code multipart/form-data; boundary="abc"}. Names are in lower case. Anything
 * unparsable is omitted; the first of several parameters with the same name counts.
 *
 * @param value the text before the first semicolon, in lower case
 * @param parameters the parameters by name, without quotes
 */
record HeaderValue(String value, Map<String, String> parameters) {

    private static final String FORM = "application/x-www-form-urlencoded";

    static HeaderValue parse(@Nullable String header) {
        String text = header == null ? "" : header;
        int end = text.indexOf(';');
        Map<String, String> parameters = new TreeMap<>();
        for (int at = end; at >= 0 && at < text.length(); ) {
            at = parameter(text, at + 1, parameters);
        }
        String value = end < 0 ? text : text.substring(0, end);
        return new HeaderValue(Characters.lowerCaseAscii(value.trim()), Collections.unmodifiableMap(parameters));
    }

    /** Parses one parameter. Returns the position of the next semicolon, or the text's length if there is none. */
    private static int parameter(String text, int from, Map<String, String> parameters) {
        int at = from;
        while (at < text.length() && text.charAt(at) != '=' && text.charAt(at) != ';') {
            at++;
        }
        if (at == text.length() || text.charAt(at) == ';') {
            return at;
        }
        String name = Characters.lowerCaseAscii(text.substring(from, at).trim());
        at++;
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        StringBuilder value = new StringBuilder();
        if (at < text.length() && text.charAt(at) == '"') {
            for (at++; at < text.length() && text.charAt(at) != '"'; at++) {
                boolean escaped = text.charAt(at) == '\\'
                        && at + 1 < text.length()
                        && (text.charAt(at + 1) == '"' || text.charAt(at + 1) == '\\');
                if (escaped) {
                    at++;
                }
                value.append(text.charAt(at));
            }
            while (at < text.length() && text.charAt(at) != ';') {
                at++;
            }
        } else {
            int end = text.indexOf(';', at);
            end = end < 0 ? text.length() : end;
            value.append(text.substring(at, end).trim());
            at = end;
        }
        parameters.putIfAbsent(name, value.toString());
        return at;
    }

    boolean isForm() {
        return value.equals(FORM);
    }

    boolean isMultipartForm() {
        return value.equals("multipart/form-data");
    }

    Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /** Returns the charset with the given name; empty if this platform does not support it. */
    static Optional<Charset> charset(String name) {
        try {
            return Charset.isSupported(name) ? Optional.of(Charset.forName(name)) : Optional.empty();
        } catch (IllegalCharsetNameException noName) {
            return Optional.empty();
        }
    }
}
