package io.counterpoint.idempotency.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * An answer as it came over the wire, without what is of its connection.
 *
 * @param headers by their lower-case names
 * @param early headers of early answers
 * @param body a character for each byte
 * @param complete whether it was not broken off
 */
record Wire(int status, Map<String, List<String>> headers, List<String> early, String body, boolean complete) {

    private static final List<String> OF_THE_CONNECTION =
            List.of("date", "connection", "keep-alive", "content-length", "transfer-encoding");

    private static final HttpClient HTTP_2 =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

    /** An answer over HTTP/1.1, on a connection of its own. */
    static Wire get(int port, String method, Map<String, String> headers) throws IOException {
        StringBuilder request = new StringBuilder(method + " /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
        headers.forEach(
                (name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
        request.append("Content-Length: 0\r\n\r\n");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            return parse(RawExchange.untilItEnds(socket.getInputStream()), method, new ArrayList<>());
        }
    }

    /** An answer over HTTP/2 without encryption. */
    static Wire get2(int port, String method, Map<String, String> headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/x"))
                .method(method, HttpRequest.BodyPublishers.noBody());
        headers.forEach(request::header);
        try {
            request.timeout(Duration.ofSeconds(20));
            HttpResponse<byte[]> response = HTTP_2.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            if (response.version() != HttpClient.Version.HTTP_2) {
                throw new IllegalStateException("This was HTTP/1.1.");
            }
            Map<String, List<String>> found = new TreeMap<>(response.headers().map());
            found.keySet().removeAll(OF_THE_CONNECTION);
            found.remove(":status");
            return new Wire(response.statusCode(), found, List.of(), latin1(response.body()), true);
        } catch (IOException brokenOff) {
            return new Wire(0, new TreeMap<>(), List.of(), "", false);
        }
    }

    private static Wire parse(byte[] answer, String method, List<String> early) {
        String text = latin1(answer);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Wire(0, new TreeMap<>(), early, text, false);
        }
        String[] lines = text.substring(0, end).split("\r\n", -1);
        int status = Integer.parseInt(lines[0].split(" ", -1)[1]);
        Map<String, List<String>> headers = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            headers.computeIfAbsent(lines[i].substring(0, colon).toLowerCase(Locale.ROOT), it -> new ArrayList<>())
                    .add(lines[i].substring(colon + 1).trim());
        }
        byte[] rest = Arrays.copyOfRange(answer, end + 4, answer.length);
        if (status < 200) {
            early.add(status + " " + headers);
            return parse(rest, method, early);
        }
        boolean chunked = headers.containsKey("transfer-encoding");
        List<String> length = headers.getOrDefault("content-length", List.of());
        headers.keySet().removeAll(OF_THE_CONNECTION);
        if (chunked) {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            boolean complete = unchunk(rest, body);
            return new Wire(status, headers, early, latin1(body.toByteArray()), complete);
        }
        boolean bodiless = method.equals("HEAD") || status == 204 || status == 304;
        boolean complete = length.isEmpty() || bodiless || Integer.parseInt(length.get(0)) == rest.length;
        return new Wire(status, headers, early, latin1(rest), complete);
    }

    /** Whether the last chunk was there. */
    private static boolean unchunk(byte[] chunks, ByteArrayOutputStream body) {
        String text = latin1(chunks);
        for (int at = 0; ; ) {
            int line = text.indexOf("\r\n", at);
            if (line < 0) {
                return false;
            }
            int length = Integer.parseInt(text.substring(at, line), 16);
            if (length == 0) {
                return true;
            }
            int end = Math.min(chunks.length, line + 2 + length);
            body.write(chunks, line + 2, end - line - 2);
            at = end + 2;
            if (at >= chunks.length) {
                return false;
            }
        }
    }

    private static String latin1(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    boolean isProblem(String slug) {
        return body.contains("#" + slug + "\"");
    }

    /** Whether it is a page that the container has made for an error. */
    boolean isErrorPage() {
        String page = body.replace("\0", "");
        return page.contains("<title>Error " + status) || page.contains("page of ERROR");
    }

    boolean replayed() {
        return headers.containsKey("idempotent-replayed");
    }

    @Override
    public String toString() {
        String shown = body.substring(0, Math.min(80, body.length()));
        return status + " " + headers + (early.isEmpty() ? "" : " early " + early) + (complete ? " " : " broken off ")
                + body.length() + " bytes: " + shown.replace("\n", "\\n");
    }
}
