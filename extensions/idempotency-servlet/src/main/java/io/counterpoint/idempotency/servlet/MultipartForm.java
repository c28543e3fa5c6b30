package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Parses a spooled {@code multipart/form-data} body (RFC 7578). Nothing is copied: a part refers to its content in the
 * body. Parsing takes linear time.
 */
final class MultipartForm {

    /** RFC 2046, section 5.1.1. */
    private static final int MAX_BOUNDARY = 70;

    private final SpooledBody body;
    private final InputStream in;

    /** Begins with a carriage return and contains no other. */
    private final byte[] delimiter;

    private final int maxParts;
    private final int maxHeader;
    private long position;

    private MultipartForm(SpooledBody body, InputStream in, String boundary, int maxParts, int maxHeader) {
        this.body = body;
        this.in = in;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        this.maxParts = maxParts;
        this.maxHeader = maxHeader;
    }

    /**
     * Returns the parts of a body.
     *
     * @throws FormFields.Malformed if it is not such a body, has too many parts, or a part's header is too long; its
     *     message reveals nothing of the body
     */
    static List<SpooledPart> read(SpooledBody body, String boundary, int maxParts, int maxHeader)
            throws IOException, FormFields.Malformed {
        if (boundary.isEmpty() || boundary.length() > MAX_BOUNDARY || boundary.indexOf('\r') >= 0) {
            throw new FormFields.Malformed(
                    "A multipart body needs a boundary of 1 to " + MAX_BOUNDARY + " characters.");
        }
        try (InputStream in = new BufferedInputStream(body.open())) {
            return new MultipartForm(body, in, boundary, maxParts, maxHeader).parts();
        }
    }

    private List<SpooledPart> parts() throws IOException, FormFields.Malformed {
        for (int i = 2; i < delimiter.length; i++) {
            if (read() != delimiter[i]) {
                throw new FormFields.Malformed("The multipart body does not begin with its boundary.");
            }
        }
        List<SpooledPart> parts = new ArrayList<>();
        while (isFollowedByAPart()) {
            if (parts.size() == maxParts) {
                throw new FormFields.Malformed("The multipart body has more than " + maxParts + " parts.");
            }
            Map<String, List<String>> headers = headers();
            HeaderValue disposition = HeaderValue.parse(first(headers, "content-disposition"));
            if (!disposition.value().equals("form-data")
                    || disposition.parameter("name").isEmpty()) {
                throw new FormFields.Malformed("A part of the multipart body has no name.");
            }
            long from = position;
            toDelimiter();
            parts.add(new SpooledPart(disposition, headers, body, from, position - delimiter.length));
        }
        return parts;
    }

    private static String first(Map<String, List<String>> headers, String name) {
        return headers.getOrDefault(name, List.of("")).get(0);
    }

    private int read() throws IOException {
        int next = in.read();
        position += next < 0 ? 0 : 1;
        return next;
    }

    /** Reads what follows a boundary: two hyphens at the end of the body, otherwise the end of the line. */
    private boolean isFollowedByAPart() throws IOException, FormFields.Malformed {
        int next = read();
        if (next == '-' && read() == '-') {
            return false;
        }
        // Transport padding; at most as long as a header may be.
        for (int blanks = 0; (next == ' ' || next == '\t') && blanks < maxHeader; blanks++) {
            next = read();
        }
        if (next != '\r' || read() != '\n') {
            throw new FormFields.Malformed(
                    "A boundary of the multipart body is followed by neither a line break nor --.");
        }
        return true;
    }

    private Map<String, List<String>> headers() throws IOException, FormFields.Malformed {
        Map<String, List<String>> headers = new TreeMap<>();
        byte[] line = new byte[maxHeader];
        int left = maxHeader;
        while (true) {
            int length = 0;
            int next;
            while ((next = read()) != '\r') {
                if (next < 0 || next == '\n' || next == 0 || --left < 0) {
                    throw new FormFields.Malformed("The header of a part has no end within " + maxHeader + " bytes.");
                }
                line[length++] = (byte) next;
            }
            if (read() != '\n') {
                throw new FormFields.Malformed("A line in the header of a part has no end.");
            }
            if (length == 0) {
                return headers;
            }
            add(headers, text(Arrays.copyOf(line, length)));
        }
    }

    /** Different names must not become equal through replaced bytes. */
    private static String text(byte[] line) throws FormFields.Malformed {
        try {
            return Characters.ofUtf8(line);
        } catch (IllegalArgumentException noText) {
            throw new FormFields.Malformed("A line in the header of a part is not valid UTF-8.");
        }
    }

    private static void add(Map<String, List<String>> headers, String line) throws FormFields.Malformed {
        int colon = line.indexOf(':');
        String name = line.substring(0, Math.max(0, colon));
        if (name.isEmpty() || !name.equals(name.trim())) {
            throw new FormFields.Malformed("A line in the header of a part is not a header field.");
        }
        headers.computeIfAbsent(Characters.lowerCaseAscii(name), first -> new ArrayList<>(1))
                .add(line.substring(colon + 1).trim());
    }

    private void toDelimiter() throws IOException, FormFields.Malformed {
        for (int matched = 0; matched < delimiter.length; ) {
            int next = read();
            if (next < 0) {
                throw new FormFields.Malformed("The multipart body ends before its last boundary.");
            }
            if ((byte) next == delimiter[matched]) {
                matched++;
            } else {
                matched = next == '\r' ? 1 : 0;
            }
        }
    }
}
