package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Race;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Header fields as nobody should send them: there is always a defined answer, and an effect only where that is 2xx. */
@Tag("thorough")
class GeneratedHeadersTest {

    private static final long SEED = 20260102;
    private static final int INPUTS = 12_000;

    /** What the server takes of header fields, less the rest of the request. */
    private static final int MOST_BYTES = 8192 - 150;

    private static final Duration BOUND = Duration.ofSeconds(110);

    /** A server that hangs up in the middle of a long header may reset the connection before its answer is read. */
    private static final int MOST_TRIES = 20;

    /** Clients that send at the same time, each with keys of its own. */
    private static final int CLIENTS = 8;

    @Test
    void everyHeaderHasADefinedAnswerAndNoRefusedRequestHasAnEffect() throws Exception {
        Map<String, Integer> answers = new TreeMap<>();
        try (Payments payments = new Payments()) {
            List<String> answered201 = new CopyOnWriteArrayList<>();
            List<Race.Result<Map<String, Integer>>> clients =
                    Race.of(CLIENTS, BOUND, number -> send(payments.server.port(), number, answered201));
            clients.forEach(client -> Objects.requireNonNull(client.orFail())
                    .forEach((status, times) -> answers.merge(status, times, Integer::sum)));

            // Each body is sent once.
            assertThat(payments.effects).containsExactlyInAnyOrderElementsOf(answered201);
            assertThat(payments.thrown).isEmpty();
            assertThat(new Connection(payments.server.port())
                            .send("/payments", List.of(bytes("Idempotency-Key: still-here")), "x"))
                    .isEqualTo("201");
        }
        System.out.println(INPUTS + " generated requests, seed " + SEED + ", answered: " + answers);
        assertThat(answers).containsKeys("201", "400", "422", "431");
    }

    private static Map<String, Integer> send(int port, int client, List<String> answered201) throws IOException {
        Map<String, Integer> answers = new TreeMap<>();
        Random random = new Random(SEED + client);
        Connection connection = new Connection(port);
        for (int i = 0; i < INPUTS / CLIENTS; i++) {
            List<byte[]> headers = headers(random);
            boolean key = hasAKey(headers);
            headers.add(bytes("Caller: user:" + client));
            String body = "n" + client + "-" + i;
            String status = connection.send(i % 2 == 0 ? "/payments" : "/transfers/1", headers, body);

            assertThat(status)
                    .as("seed %s, client %s, input %s: %s", SEED, client, i, connection.lastAnswer)
                    .matches("201|400|422|431");
            // 422 as well: the key is one, and was used for another body.
            assertThat(status.equals("201") || status.equals("422"))
                    .as("seed %s, client %s, input %s: %s", SEED, client, i, connection.lastAnswer)
                    .isEqualTo(key);
            if (status.equals("201")) {
                answered201.add(body);
            }
            answers.merge(status, 1, Integer::sum);
        }
        return answers;
    }

    /** By the definition, and an independent parser of RFC 8941: one field, with a String or a bare token. */
    private static boolean hasAKey(List<byte[]> lines) {
        List<String> values = lines.stream()
                .map(line -> new String(line, StandardCharsets.ISO_8859_1))
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("idempotency-key:"))
                .map(line -> line.substring("idempotency-key:".length()).replaceAll("^[ \t]+|[ \t]+$", ""))
                .toList();
        int bytes = lines.stream().mapToInt(line -> line.length).sum();
        boolean otherLinesAreSound = lines.stream()
                .map(line -> new String(line, StandardCharsets.ISO_8859_1))
                .noneMatch(line -> line.matches("(?s).*[\\x00-\\x08\\x0b-\\x1f\\x7f].*"));
        if (values.size() != 1 || bytes > MOST_BYTES || !otherLinesAreSound) {
            return false;
        }
        String value = values.get(0);
        if (!value.startsWith("\"")) {
            return value.matches("[\\x21-\\x7e&&[^\",;\\\\]]{1,255}");
        }
        try {
            return Parser.parseItem(value) instanceof StringItem item
                    && item.getParams().isEmpty()
                    && item.get().matches("[\\x21-\\x7e]{1,255}");
        } catch (ParseException refused) {
            return false;
        }
    }

    private static List<byte[]> headers(Random random) {
        List<byte[]> lines = new ArrayList<>();
        int count = random.nextInt(8) == 0 ? random.nextInt(4) : 1;
        for (int i = 0; i < count; i++) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            line.writeBytes(bytes(
                    switch (random.nextInt(10)) {
                        case 0 -> "idempotency-key:";
                        case 1 -> "IDEMPOTENCY-KEY:\t ";
                        case 2 -> "X-Request-Id: ";
                        default -> "Idempotency-Key: ";
                    }));
            line.writeBytes(value(random));
            lines.add(line.toByteArray());
        }
        return lines;
    }

    private static byte[] value(Random random) {
        int length = switch (random.nextInt(20)) {
            case 0 -> 0;
            case 1 -> 250 + random.nextInt(12);
            case 2 -> 1000 + random.nextInt(4000);
            case 3 -> 10_000 + random.nextInt(20_000);
            default -> 1 + random.nextInt(20);
        };
        int kind = random.nextInt(5);
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte)
                    switch (kind) {
                        case 0 -> 'a' + random.nextInt(26);
                        case 1 -> 0x20 + random.nextInt(0x5f);
                        case 2 -> 0x80 + random.nextInt(0x80);
                        case 3 -> random.nextInt(5) == 0 ? random.nextInt(256) : 'a' + random.nextInt(26);
                        default -> "ab\"\\,; \t=".charAt(random.nextInt(9));
                    };
            if (value[i] == '\r' || value[i] == '\n') {
                value[i] = 'x';
            }
        }
        if (length > 1 && random.nextInt(3) == 0) {
            value[0] = '"';
            value[length - 1] = '"';
        }
        return value;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** A client that sends any bytes, and connects again where the server has hung up. */
    private static final class Connection {
        private final int port;
        private String lastAnswer = "";
        private Socket socket = new Socket();

        Connection(int port) {
            this.port = port;
        }

        String send(String path, List<byte[]> headers, String body) throws IOException {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.writeBytes(
                    bytes("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n"));
            for (byte[] header : headers) {
                request.writeBytes(header);
                request.writeBytes(bytes("\r\n"));
            }
            request.writeBytes(bytes("\r\n" + body));
            for (int tries = 1; ; tries++) {
                try {
                    if (!socket.isConnected() || socket.isClosed()) {
                        socket = new Socket(InetAddress.getLoopbackAddress(), port);
                        socket.setTcpNoDelay(true);
                    }
                    socket.getOutputStream().write(request.toByteArray());
                    return answer();
                } catch (SocketException | EOFException hungUpAfterTheLastAnswer) {
                    socket.close();
                    if (tries == MOST_TRIES) {
                        throw hungUpAfterTheLastAnswer;
                    }
                }
            }
        }

        private String answer() throws IOException {
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int read = in.read();
                if (read < 0) {
                    throw new EOFException();
                }
                head.append((char) read);
            }
            String text = head.toString().toLowerCase(java.util.Locale.ROOT);
            int length = text.indexOf("content-length: ");
            byte[] body = length < 0
                    ? new byte[0]
                    : in.readNBytes(Integer.parseInt(text.substring(length + 16, text.indexOf("\r\n", length))));
            lastAnswer = head + new String(body, StandardCharsets.UTF_8);
            if (text.contains("connection: close")) {
                socket.close();
            }
            return text.substring(9, 12);
        }
    }
}
