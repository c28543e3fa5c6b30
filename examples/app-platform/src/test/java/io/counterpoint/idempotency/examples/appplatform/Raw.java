package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;

/**
 * A request as raw bytes, for what client libraries would not send, and its response.
 *
 * @param status the status code
 * @param text the complete response
 */
record Raw(int status, String text) {

    /** Sends a request; each header is a complete line. */
    static Raw send(String url, String method, String target, String body, String... headers) throws IOException {
        URI uri = URI.create(url);
        byte[] content = body.getBytes(UTF_8);
        StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Connection: close\r\nContent-Type: application/json\r\nContent-Length: " + content.length + "\r\n");
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(head.append("\r\n").toString().getBytes(UTF_8));
            socket.getOutputStream().write(content);
            socket.getOutputStream().flush();
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            return new Raw(Integer.parseInt(answer.substring(9, 12)), answer);
        }
    }
}
