package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The handler reads its body as if no filter had read it before. */
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class BodyTest {

    private static final String FORM = "application/x-www-form-urlencoded";

    private final RoutePolicy policy = RoutePolicy.required().bodyInMemory(10);
    private final IdempotencyFilter filter = IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
            .route(
                    "/canonical",
                    policy.canonicalBody((request, body) -> Fingerprint.ofParts(
                            new String(body.readAllBytes(), StandardCharsets.UTF_8).replaceAll("sentAt=\\d+", ""))))
            .elsewhere(policy)
            .build();
    private volatile Runnable entered = () -> {};
    private final TestServer server = new TestServer().filter(this::outer).filter(filter);
    private int keys;
    private final Client client;

    BodyTest(Client client) {
        this.client = client;
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer post(String path, String type, String body) throws Exception {
        return post(path, "k-" + ++keys, type, body);
    }

    private Answer post(String path, String key, String type, String body) throws Exception {
        return client.send(Request.to(server.uri(path))
                .key(key)
                .header("Content-Type", type)
                .body(body));
    }

    private void handle(TestServer.Handler handler) {
        server.handle("/*", handler).start();
    }

    @Test
    void bodyIsReadAsAStreamOfAnyLength() throws Exception {
        handle((request, response) ->
                response.getOutputStream().write(request.getInputStream().readAllBytes()));
        for (int length : List.of(0, 1, 9, 10, 11, 20_000, 100_000)) {
            String body = "é".repeat(length / 2) + "x".repeat(length % 2);
            assertThat(post("/", "text/plain", body).body()).isEqualTo(body);
        }
    }

    @Test
    void bodyIsReadByteByByteAndThroughAReader() throws Exception {
        server.handle("/reader", (request, response) -> {
            response.setCharacterEncoding("UTF-8");
            response.getWriter().write(request.getReader().lines().collect(Collectors.joining("|")));
        });
        handle((request, response) -> {
            InputStream in = request.getInputStream();
            for (int read; (read = in.read()) >= 0; ) {
                response.getOutputStream().write(read);
            }
        });
        assertThat(post("/", "text/plain", "a body of some length").body()).isEqualTo("a body of some length");
        assertThat(post("/reader", "text/plain;charset=UTF-8", "größe\nin Zeilen")
                        .body())
                .isEqualTo("größe|in Zeilen");
    }

    @Test
    void formIsReadAsParametersAfterThoseOfTheQuery() throws Exception {
        handle((request, response) -> {
            Map<String, String> all = new TreeMap<>();
            request.getParameterMap().forEach((name, values) -> all.put(name, String.join("+", values)));
            response.setCharacterEncoding("UTF-8");
            response.getWriter().write(all + request.getParameter("a") + request.getParameter("none"));
        });
        assertThat(post("/?a=0&q=1", FORM, "a=1&b=x%20y+z&a=2&c&%C3%A9=%C3%A9&").body())
                .isEqualTo("{a=0+1+2, b=x y z, c=, q=1, é=é}0null");
        assertThat(post("/", FORM, "a=" + "x".repeat(200_000)).problem()).isEqualTo("body-too-large");
    }

    @Test
    void bodyIsReadByAListener() throws Exception {
        handle((request, response) -> {
            AsyncContext context = request.startAsync();
            ServletInputStream in = request.getInputStream();
            in.setReadListener(new ReadListener() {
                @Override
                public void onDataAvailable() throws IOException {
                    while (in.isReady() && !in.isFinished()) {
                        response.getOutputStream().write(in.read());
                    }
                }

                @Override
                public void onAllDataRead() {
                    context.complete();
                }

                @Override
                public void onError(Throwable thrown) {
                    throw new IllegalStateException(thrown);
                }
            });
        });
        assertThat(post("/", "text/plain", "a body of some length").body()).isEqualTo("a body of some length");
    }

    @Test
    void bodyIsReadOnAnotherThreadOfAnAsynchronousHandler() throws Exception {
        handle((request, response) -> {
            AsyncContext context = request.startAsync();
            context.start(() -> {
                try {
                    byte[] body = context.getRequest().getInputStream().readAllBytes();
                    context.getResponse().getOutputStream().write(body);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    context.complete();
                }
            });
        });
        String body = "x".repeat(100_000);
        assertThat(post("/", "text/plain", body).body()).isEqualTo(body);
    }

    @Test
    void canonicalBodyIsWhatIsCompared() throws Exception {
        IdempotentRequests seen = new IdempotentRequests();
        handle((request, response) -> seen.add(IdempotentRequest.of(request)));
        post("/canonical", "text/plain", "a sentAt=1");
        post("/canonical", "text/plain", "a sentAt=2");
        post("/canonical", "text/plain", "b sentAt=2");

        assertThat(seen.fingerprints().get(0)).isEqualTo(seen.fingerprints().get(1));
        assertThat(seen.fingerprints().get(2)).isNotEqualTo(seen.fingerprints().get(1));
    }

    @Test
    void multipartBodyIsTheSameWhateverItsBoundary() throws Exception {
        IdempotentRequests seen = new IdempotentRequests();
        server.handle("/raw", (request, response) -> {
            seen.add(IdempotentRequest.of(request));
            response.getOutputStream().write(request.getInputStream().readAllBytes());
        });
        server.handleMultipart("/parts", (request, response) -> {
            seen.add(IdempotentRequest.of(request));
            response.getOutputStream()
                    .write(request.getPart("file").getInputStream().readAllBytes());
            response.getOutputStream().write(request.getParameter("note").getBytes(StandardCharsets.UTF_8));
        });
        server.start();
        for (String path : List.of("/raw", "/parts")) {
            seen.clear();
            String type = "multipart/form-data; boundary=";
            Answer first = post(path, type + "abc", multipart("abc", "content"));
            post(path, type + "\"xyz-123\"", multipart("xyz-123", "content"));
            post(path, type + "abc", multipart("abc", "other"));

            assertThat(first.body()).isEqualTo(path.equals("/raw") ? multipart("abc", "content") : "contenthello");
            assertThat(seen.fingerprints().get(0)).isEqualTo(seen.fingerprints().get(1));
            assertThat(seen.fingerprints().get(2))
                    .isNotEqualTo(seen.fingerprints().get(1));
        }
    }

    /** A filter before the one under test, that reads what it should leave alone. */
    private void outer(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        entered.run();
        String reads = ((HttpServletRequest) request).getHeader("Reads-Before");
        if (reads != null && reads.equals("parameter")) {
            assertThat(request.getParameter("none")).isNull();
        } else if (reads != null) {
            assertThat(request.getInputStream().readAllBytes()).isNotEmpty();
        }
        chain.doFilter(request, response);
    }

    @Test
    void bodyTakenByAnOuterFilterIsAServerErrorAndNothingRuns() throws Exception {
        IdempotentRequests seen = new IdempotentRequests();
        handle((request, response) -> seen.add(IdempotentRequest.of(request)));
        Answer answer = client.send(Request.to(server.uri("/"))
                .key("k")
                .header("Reads-Before", "stream")
                .header("Content-Type", "text/plain")
                .body("a body"));

        assertThat(answer.status()).isEqualTo(500);
        assertThat(seen.fingerprints()).isEmpty();
    }

    /** The filter waits in its read, or in the container's, when the body comes. */
    @Test
    void bodyThatComesInPiecesAfterItsHeadIsRead() throws Exception {
        IdempotentRequests seen = new IdempotentRequests();
        server.handle("/raw", (request, response) -> {
            seen.add(IdempotentRequest.of(request));
            response.getOutputStream().write(request.getInputStream().readAllBytes());
        });
        server.handleMultipart("/parts", (request, response) -> {
            seen.add(IdempotentRequest.of(request));
            response.getOutputStream()
                    .write(request.getPart("file").getInputStream().readAllBytes());
        });
        server.start();
        String body = multipart("abc", "content");
        for (String path : List.of("/raw", "/parts")) {
            CountDownLatch reading = new CountDownLatch(1);
            entered = reading::countDown;
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                socket.setTcpNoDelay(true);
                OutputStream out = socket.getOutputStream();
                out.write(("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: late\r\n"
                                + "Content-Type: multipart/form-data; boundary=abc\r\nContent-Length: " + body.length()
                                + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
                reading.await();
                for (String piece : body.split("(?<=-)", -1)) {
                    out.write(piece.getBytes(StandardCharsets.US_ASCII));
                }
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(answer).startsWith("HTTP/1.1 200").contains("content");
            }
        }
    }

    @Test
    void connectionOfARefusedRequestIsOfUseForTheNext() throws Exception {
        handle((request, response) ->
                response.getOutputStream().write(request.getInputStream().readAllBytes()));
        CountDownLatch reading = new CountDownLatch(1);
        entered = reading::countDown;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            OutputStream out = socket.getOutputStream();
            String head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n";
            out.write((head + "\r\n").getBytes(StandardCharsets.US_ASCII));
            reading.await();
            out.write("body1".getBytes(StandardCharsets.US_ASCII));
            out.write((head + "Connection: close\r\nIdempotency-Key: k\r\n\r\nbody2")
                    .getBytes(StandardCharsets.US_ASCII));
            String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answers)
                    .startsWith("HTTP/1.1 400")
                    .contains("key-missing", "HTTP/1.1 200")
                    .endsWith("body2");
        }
    }

    private static String multipart(String boundary, String content) {
        return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n"
                + "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\n" + content + "\r\n"
                + "--" + boundary + "--\r\n";
    }

    /** Against the plain definition: cut at the boundary, digest the pieces. */
    @Test
    void digestOfAMultipartBodyIsThatOfItsPiecesWhateverTheChunks() {
        long seed = 42;
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            String boundary = text(random, 1 + random.nextInt(4));
            String body = text(random, random.nextInt(60));
            BodyDigest whole = new BodyDigest("multipart/mixed;boundary=" + boundary);
            byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
            for (int at = 0; at < bytes.length; ) {
                int count = Math.min(bytes.length - at, 1 + random.nextInt(9));
                whole.add(bytes, at, count);
                at += count;
            }
            var pieces = BodyDigest.sha256();
            for (String piece : body.split(java.util.regex.Pattern.quote("--" + boundary), -1)) {
                pieces.update(BodyDigest.sha256().digest(piece.getBytes(StandardCharsets.US_ASCII)));
            }
            assertThat(whole.fingerprint())
                    .as("seed %s round %s: %s in %s", seed, round, boundary, body)
                    .isEqualTo(Fingerprint.ofParts("multipart", pieces.digest()));
        }
    }

    private static String text(Random random, int length) {
        return random.ints(length, 0, 3)
                .mapToObj(i -> String.valueOf("-ab".charAt(i)))
                .collect(Collectors.joining());
    }

    @Test
    void spooledBodyIsReadAgainFromItsBeginning() throws Exception {
        byte[] bytes = new byte[50_000];
        new Random(1).nextBytes(bytes);
        for (int inMemory : List.of(0, 1, 16_384, 49_999, 50_000, 60_000)) {
            for (long announced : List.of(-1L, 0L, 10L, 49_999L, 50_000L, Long.MAX_VALUE - 1)) {
                BodyDigest digest = new BodyDigest(null);
                try (SpooledBody body =
                        SpooledBody.read(new ByteArrayInputStream(bytes), announced, inMemory, bytes.length, digest)) {
                    assertThat(body.length()).isEqualTo(bytes.length);
                    assertThat(digest.fingerprint())
                            .isEqualTo(Fingerprint.ofBytes(BodyDigest.sha256().digest(bytes)));
                    for (int again = 0; again < 2; again++) {
                        try (InputStream in = body.open()) {
                            assertThat(Arrays.equals(in.readAllBytes(), bytes)).isTrue();
                        }
                    }
                }
            }
        }
    }

    /** What the handlers were given. */
    private static final class IdempotentRequests {
        private final List<IdempotentRequest> seen = new java.util.concurrent.CopyOnWriteArrayList<>();

        void add(IdempotentRequest request) {
            seen.add(request);
        }

        void clear() {
            seen.clear();
        }

        /** What each attempt shows of its request, without its key. The path is in the fingerprint as well. */
        List<String> fingerprints() {
            return seen.stream()
                    .map(it -> it.attempt().toString().replaceFirst(".*, request ", ""))
                    .toList();
        }
    }
}
