package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compares requests as the service does: by method, path, query, media type and body. The service's address may change,
 * and so may the boundary of a multipart body, which most libraries choose at random: such a body is compared by its
 * parts.
 */
final class Requests {

    private static final Pattern MULTIPART = Pattern.compile("[mM][uU][lL][tT][iI][pP][aA][rR][tT]/.*");

    private static final Pattern BOUNDARY = Pattern.compile(
            ";[ \\t]*[bB][oO][uU][nN][dD][aA][rR][yY]=" + "(?:\"([^\"\\\\]{1,70})\"|([^ \\t;\"]{1,70}))[ \\t]*(?=;|$)");

    private Requests() {}

    static Fingerprint fingerprint(String method, URI uri, @Nullable String mediaType, byte[] body) {
        String named = mediaType == null ? "" : mediaType;
        Matcher boundary = BOUNDARY.matcher(named);
        if (MULTIPART.matcher(named).matches() && boundary.find()) {
            String value = boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
            List<String> parts = parts(body, value);
            if (parts.size() > 1) {
                return Fingerprint.ofParts(
                        method, uri.getRawPath(), uri.getRawQuery(), boundary.replaceFirst(""), parts);
            }
        }
        return Fingerprint.ofParts(method, uri.getRawPath(), uri.getRawQuery(), mediaType, body);
    }

    /** The text around the boundary lines (RFC 2046, section 5.1.1), with each byte as a character. */
    private static List<String> parts(byte[] body, String boundary) {
        String line = "\r\n--" + boundary;
        String text = "\r\n" + new String(body, StandardCharsets.ISO_8859_1);
        Pattern delimiter = Pattern.compile(Pattern.quote(line) + "(?=--|[ \\t]*\r\n)");
        return List.of(delimiter.split(text, -1));
    }
}
