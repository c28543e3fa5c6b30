package io.counterpoint.idempotency.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response as stored in a record: status, the headers that are replayed, and the body or, if that was too large, a
 * note that there was one. Immutable. {@link #toString()} shows only the status.
 */
public final class StoredResponse {

    private static final int VERSION = 1;
    private static final String NO_MESSAGE = "-";

    private final Kind kind;
    private final int status;
    private final StoredHeaders headers;
    private final byte[] body;

    /** The kinds, with the numbers under which they are stored. */
    private enum Kind {
        FULL(0),
        /** The body was too large to store. */
        WITHOUT_BODY(1),
        /** The handler called {@code sendError}, and the container wrote the page. */
        ERROR(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        static Kind of(int number) throws IOException {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            throw new IOException("The kind of a stored response must be 0, 1 or 2, found " + number + ".");
        }
    }

    private static boolean isStatus(int status) {
        return status >= 100 && status <= 599;
    }

    private static String noStatus(int status) {
        return "The status of a stored response must be between 100 and 599, found " + status + ".";
    }

    private StoredResponse(Kind kind, int status, StoredHeaders headers, byte[] body) {
        this.kind = kind;
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /**
     * Creates the response that a lookup returns after finding the effect.
     *
     * @param status the status
     * @param contentType the media type of the body; null if there is no body
     * @param body the body
     * @return the response
     * @throws IllegalArgumentException if the status is not from 100 to 599
     */
    public static StoredResponse of(int status, @Nullable String contentType, byte[] body) {
        if (!isStatus(status)) {
            throw new IllegalArgumentException(noStatus(status));
        }
        StoredHeaders headers =
                new StoredHeaders(contentType == null ? List.of() : List.of("Content-Type", contentType));
        return new StoredResponse(Kind.FULL, status, headers, body.clone());
    }

    /**
     * Returns the same response with an additional header.
     *
     * @param name the header's name
     * @param value its value
     * @return a new response
     * @throws IllegalArgumentException for a header that is never replayed: Set-Cookie, Date and hop-by-hop headers
     */
    public StoredResponse withHeader(String name, String value) {
        StoredHeaders.requireReplayable(name);
        List<String> more = new ArrayList<>(headers.namesAndValues());
        more.addAll(List.of(name, value));
        return new StoredResponse(kind, status, new StoredHeaders(more), body);
    }

    /** Returns this response adapted to a request of this origin, or of none. */
    StoredResponse forOrigin(@Nullable String origin) {
        return new StoredResponse(kind, status, headers.forOrigin(origin), body);
    }

    static StoredResponse of(int status, StoredHeaders headers, byte[] body) {
        return headers.fits()
                ? new StoredResponse(Kind.FULL, status, headers, body)
                : withoutBody(status, new StoredHeaders(List.of()));
    }

    static StoredResponse withoutBody(int status, StoredHeaders headers) {
        return new StoredResponse(
                Kind.WITHOUT_BODY, status, headers.fits() ? headers : new StoredHeaders(List.of()), new byte[0]);
    }

    /** The first of its headers is not a header: it contains the message, or its name indicates that there is none. */
    static StoredResponse ofError(int status, @Nullable String message, StoredHeaders headers) {
        List<String> texts = new ArrayList<>(
                message == null
                        ? List.of(NO_MESSAGE, "")
                        : List.of("", message.substring(0, Math.min(1000, message.length()))));
        if (headers.fits()) {
            texts.addAll(headers.namesAndValues());
        }
        return new StoredResponse(Kind.ERROR, status, new StoredHeaders(texts), new byte[0]);
    }

    /**
     * Returns the status.
     *
     * @return the HTTP status
     */
    public int status() {
        return status;
    }

    boolean hasBody() {
        return kind != Kind.WITHOUT_BODY;
    }

    void writeTo(HttpServletResponse response) throws IOException {
        if (kind == Kind.ERROR) {
            sendError(headers.namesAndValues(), response);
            return;
        }
        response.setStatus(status);
        headers.writeTo(response, hasBody());
        if (body.length > 0) {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    private void sendError(List<String> texts, HttpServletResponse response) throws IOException {
        if (texts.size() > 2) {
            new StoredHeaders(texts.subList(2, texts.size())).writeTo(response, true);
        }
        if (texts.isEmpty() || texts.get(0).equals(NO_MESSAGE)) {
            response.sendError(status);
        } else {
            response.sendError(status, texts.get(1));
        }
    }

    byte[] encode() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            out.writeByte(kind.number);
            out.writeShort(status);
            out.writeShort(headers.namesAndValues().size());
            for (String text : headers.namesAndValues()) {
                out.writeUTF(text);
            }
            out.writeInt(body.length);
            out.write(body);
        }
        return bytes.toByteArray();
    }

    static StoredResponse decode(byte[] bytes) throws IOException {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IOException("The stored response has version " + version + ", expected " + VERSION + ": a"
                        + " newer release wrote it.");
            }
            Kind kind = Kind.of(in.readUnsignedByte());
            int status = in.readUnsignedShort();
            if (!isStatus(status)) {
                throw new IOException(noStatus(status));
            }
            int texts = in.readUnsignedShort();
            if (texts > in.available() / 2) {
                throw new IOException("The stored response declares " + texts + " texts but is too short for them.");
            }
            String[] headers = new String[texts];
            for (int i = 0; i < headers.length; i++) {
                headers[i] = in.readUTF();
            }
            int length = in.readInt();
            if (in.available() != length) {
                throw new IOException("The stored body is " + in.available() + " bytes long, expected " + length + ".");
            }
            byte[] body = new byte[length];
            in.readFully(body);
            return new StoredResponse(kind, status, new StoredHeaders(List.of(headers)), body);
        }
    }

    @Override
    public String toString() {
        return "StoredResponse[" + status + "]";
    }
}
