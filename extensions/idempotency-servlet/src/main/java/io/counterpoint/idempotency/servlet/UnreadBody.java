package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request body of which nothing may have been read yet, because the rest would not identify the request.
 *
 * <p>If the length is announced, that many bytes have to arrive. Otherwise the container reveals whether the stream was
 * opened, because it then refuses a reader, or whether a reader was opened, because it then keeps its encoding. The
 * bytes are then read through a reader in ISO-8859-1, in which each byte is one character.
 */
final class UnreadBody {

    private static final String BYTES = StandardCharsets.ISO_8859_1.name();

    /** Whether a wrapper of this class leaves the body to the request that it wraps. */
    private static final ClassValue<Boolean> LEAVES_THE_BODY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> wrapper) {
            try {
                return isInherited(wrapper, "getInputStream")
                        && isInherited(wrapper, "getReader")
                        && isInherited(wrapper, "getCharacterEncoding")
                        && isInherited(wrapper, "setCharacterEncoding", String.class);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException("Every ServletRequestWrapper has these methods.", e);
            }
        }
    };

    private final HttpServletRequest request;
    private final HeaderValue type;
    private final long announced;
    private final @Nullable String encoding;

    UnreadBody(HttpServletRequest request, HeaderValue type) {
        this.request = request;
        this.type = type;
        this.announced = request.getContentLengthLong();
        this.encoding = request.getCharacterEncoding();
    }

    private static boolean isInherited(Class<?> wrapper, String method, Class<?>... parameters)
            throws NoSuchMethodException {
        return wrapper.getMethod(method, parameters).getDeclaringClass() == ServletRequestWrapper.class;
    }

    /** The encoding that the request had before its body was opened. */
    @Nullable
    String encoding() {
        return encoding;
    }

    /**
     * Opens the body.
     *
     * @throws IllegalStateException if it has already been opened, or this cannot be determined
     */
    InputStream open() throws IOException {
        if (announced < 0 && leavesTheBody(request)) {
            return new BytesOf(readerThatIsNew());
        }
        try {
            return request.getInputStream();
        } catch (IllegalStateException aReaderIsOpen) {
            throw consumed(aReaderIsOpen);
        }
    }

    /**
     * Requires that a body of this many bytes is complete.
     *
     * @throws IllegalStateException if it is not, or this cannot be determined
     */
    void requireWhole(long length) throws IOException {
        boolean whole;
        if (announced >= 0) {
            whole = length == announced;
        } else if (leavesTheBody(request)) {
            whole = length > 0 || !isParsed();
        } else {
            whole = length == 0 && hasNone();
        }
        if (!whole) {
            throw consumed(null);
        }
    }

    /** Whether the request has no body: in HTTP/1, a body without a length is chunked. */
    private boolean hasNone() {
        return request.getProtocol().startsWith("HTTP/1.") && request.getHeader("Transfer-Encoding") == null;
    }

    private static boolean leavesTheBody(HttpServletRequest request) {
        ServletRequest at = request;
        while (at instanceof ServletRequestWrapper wrapper) {
            if (!LEAVES_THE_BODY.get(wrapper.getClass())) {
                return false;
            }
            at = wrapper.getRequest();
        }
        return true;
    }

    private Reader readerThatIsNew() throws IOException {
        for (String other : List.of(StandardCharsets.UTF_8.name(), BYTES)) {
            request.setCharacterEncoding(other);
            String set = request.getCharacterEncoding();
            if (set == null || !Characters.equalsIgnoringAsciiCase(other, set)) {
                throw consumed(null);
            }
        }
        try {
            return request.getReader();
        } catch (IllegalStateException theStreamIsOpen) {
            throw consumed(theStreamIsOpen);
        }
    }

    /** Whether the container has already parsed the body, in which case it knows fields or parts. */
    private boolean isParsed() throws IOException {
        if (type.isForm()) {
            return !isOfTheQuery(request.getParameterMap());
        }
        if (!type.isMultipartForm()) {
            return false;
        }
        try {
            for (Part ignored : request.getParts()) {
                return true;
            }
        } catch (jakarta.servlet.ServletException | IOException | RuntimeException nothingIsParsed) {
            return false;
        }
        return false;
    }

    private boolean isOfTheQuery(Map<String, String[]> parameters) {
        if (parameters.isEmpty()) {
            return true;
        }
        String query = request.getQueryString();
        byte[] bytes = (query == null ? "" : query).getBytes(StandardCharsets.UTF_8);
        try {
            Map<String, List<String>> expected = FormFields.read(bytes, StandardCharsets.UTF_8, Integer.MAX_VALUE)
                    .values();
            return parameters.entrySet().stream()
                    .allMatch(found -> Arrays.asList(found.getValue()).equals(expected.get(found.getKey())));
        } catch (FormFields.Malformed unknown) {
            return false;
        }
    }

    private static IllegalStateException consumed(@Nullable Exception cause) {
        return new IllegalStateException(
                "The body was read before the idempotency filter could read it, in whole or in part, or this cannot"
                        + " be ruled out. The rest does not distinguish one request from another, so nothing was"
                        + " claimed and nothing ran. Run the idempotency filter before every filter that reads or"
                        + " replaces the body, or that queries form parameters or parts.",
                cause);
    }

    /** Converts the characters of an ISO-8859-1 reader back to bytes. */
    private static final class BytesOf extends InputStream {
        private final Reader reader;
        private char[] characters = new char[0];

        BytesOf(Reader reader) {
            this.reader = reader;
        }

        @Override
        public int read() throws IOException {
            return reader.read();
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (characters.length < Math.min(count, 8192)) {
                characters = new char[Math.min(count, 8192)];
            }
            int read = reader.read(characters, 0, Math.min(count, characters.length));
            for (int i = 0; i < read; i++) {
                target[offset + i] = (byte) characters[i];
            }
            return read;
        }
    }
}
