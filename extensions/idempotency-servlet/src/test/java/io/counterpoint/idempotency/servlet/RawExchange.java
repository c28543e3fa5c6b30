package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.servlet.Client.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One request of any bytes on a connection of its own, with its length given or in chunks. */
final class RawExchange {

    private final StringBuilder head = new StringBuilder();
    private boolean chunked;
    private byte[] body = new byte[0];

    private RawExchange(String path) {
        head.append("POST ").append(path).append(" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
    }

    static RawExchange post(String path) {
        return new RawExchange(path);
    }

    RawExchange header(String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
        return this;
    }

    RawExchange chunked(boolean inChunks) {
        chunked = inChunks;
        return this;
    }

    RawExchange body(String text) {
        return body(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawExchange body(byte[] bytes) {
        body = bytes;
        return this;
    }

    Answer send(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(ascii(
                    head + (chunked ? "Transfer-Encoding: chunked" : "Content-Length: " + body.length) + "\r\n\r\n"));
            if (chunked) {
                for (int at = 0; at < body.length; ) {
                    // More than one chunk, also of a small body.
                    int count = Math.min(body.length - at, Math.max(1, Math.min(8192, body.length / 2)));
                    request.writeBytes(ascii(Integer.toHexString(count) + "\r\n"));
                    request.write(body, at, count);
                    request.writeBytes(ascii("\r\n"));
                    at += count;
                }
                request.writeBytes(ascii("0\r\n\r\n"));
            } else {
                request.writeBytes(body);
            }
            try {
                out.write(request.toByteArray());
            } catch (IOException answeredBeforeTheEnd) {
                // What was answered is read below.
            }
            String answer = new String(untilItEnds(socket.getInputStream()), StandardCharsets.UTF_8);
            int end = answer.indexOf("\r\n\r\n");
            boolean inChunks =
                    end > 0 && answer.substring(0, end).toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked");
            Answer parsed = Answer.parse(answer);
            return inChunks ? new Answer(parsed.status(), parsed.headers(), unchunked(parsed.body())) : parsed;
        }
    }

    /** A server that has not read all of the request resets the connection after its answer. */
    static byte[] untilItEnds(InputStream in) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        try {
            in.transferTo(answer);
        } catch (SocketException reset) {
            if (answer.size() == 0) {
                throw reset;
            }
        }
        return answer.toByteArray();
    }

    private static String unchunked(String body) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; ; ) {
            int line = body.indexOf("\r\n", at);
            int length = Integer.parseInt(body.substring(at, line), 16);
            if (length == 0) {
                return text.toString();
            }
            text.append(body, line + 2, line + 2 + length);
            at = line + 2 + length + 2;
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
