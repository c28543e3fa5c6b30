package io.counterpoint.idempotency.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One message of PostgreSQL's protocol, version 3, with its frame.
 *
 * @see <a href="https://www.postgresql.org/docs/current/protocol-message-formats.html">Message Formats</a>
 */
final class WireMessage {

    /** Sent by clients. */
    static final char PARSE = 'P';

    static final char BIND = 'B';
    static final char EXECUTE = 'E';
    static final char QUERY = 'Q';
    static final char FUNCTION_CALL = 'F';
    static final char SYNC = 'S';

    /** Sent by servers. */
    static final char COMMAND_COMPLETE = 'C';

    static final char EMPTY_QUERY = 'I';
    static final char PORTAL_SUSPENDED = 's';
    static final char ERROR = 'E';
    static final char READY_FOR_QUERY = 'Z';
    static final char ROW_DESCRIPTION = 'T';
    static final char DATA_ROW = 'D';

    /** A message before the session starts: it has no type, and contains a number instead of a text. */
    private static final char START = 0;

    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_ENCRYPTION_REQUEST = 80877104;
    private static final int CANCEL_REQUEST = 80877102;
    private static final int LENGTH_BYTES = 4;
    private static final int LONGEST = 1 << 30;

    private final char type;
    private final byte[] body;

    private WireMessage(char type, byte[] body) {
        this.type = type;
        this.body = body;
    }

    static WireMessage query(String sql) {
        return new WireMessage(QUERY, (sql + "\0").getBytes(StandardCharsets.UTF_8));
    }

    static WireMessage readStart(DataInputStream in) throws IOException {
        return new WireMessage(START, readBody(in, in.readInt()));
    }

    /** Reads the rest of a message whose type has been read. */
    static WireMessage readTyped(int type, DataInputStream in) throws IOException {
        return new WireMessage((char) type, readBody(in, in.readInt()));
    }

    private static byte[] readBody(DataInputStream in, int length) throws IOException {
        if (length < LENGTH_BYTES || length > LONGEST) {
            throw new IOException("not PostgreSQL's protocol: a message of " + length + " bytes");
        }
        byte[] body = new byte[length - LENGTH_BYTES];
        in.readFully(body);
        return body;
    }

    void writeTo(OutputStream out) throws IOException {
        ByteArrayOutputStream frame = new ByteArrayOutputStream(1 + LENGTH_BYTES + body.length);
        if (type != START) {
            frame.write(type);
        }
        frame.writeBytes(ByteBuffer.allocate(LENGTH_BYTES)
                .putInt(LENGTH_BYTES + body.length)
                .array());
        frame.writeBytes(body);
        frame.writeTo(out);
    }

    char type() {
        return type;
    }

    /** Whether a client waits for replies after this message. */
    boolean endsWhatIsSent() {
        return type == SYNC || type == QUERY || type == FUNCTION_CALL;
    }

    /** Whether the client requests encryption, which the server answers with a single byte instead of a message. */
    boolean asksForEncryption() {
        return type == START && (startCode() == SSL_REQUEST || startCode() == GSS_ENCRYPTION_REQUEST);
    }

    /** Whether the client requests to cancel another connection's statement; there is no reply. */
    boolean asksToCancel() {
        return type == START && startCode() == CANCEL_REQUEST;
    }

    private int startCode() {
        return body().getInt();
    }

    /** The message without its frame, positioned at its beginning. */
    ByteBuffer body() {
        return ByteBuffer.wrap(body);
    }

    /** The zero-terminated text at a position in the body, counted from 0. */
    String text(int index) {
        int start = 0;
        int end = endOfText(start);
        for (int i = 0; i < index; i++) {
            start = end + 1;
            end = endOfText(start);
        }
        return new String(Arrays.copyOfRange(body, start, end), StandardCharsets.UTF_8);
    }

    private int endOfText(int start) {
        int end = start;
        while (body[end] != 0) {
            end++;
        }
        return end;
    }
}
