package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the handler could not read is refused before the key is claimed, and at a cost that its size bounds. */
@Tag("thorough")
@ParameterizedClass
@EnumSource(Container.Kind.class)
class MalformedBodyTest {

    private static final String SECRET = "body-that-nobody-sees";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String MULTIPART = "multipart/form-data; boundary=abc";
    private static final String PART = "--abc\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + SECRET + "\r\n";

    private static final Map<String, String> BODIES = Map.ofEntries(
            Map.entry("percent and no digits", "a=" + SECRET + "%ZZ"),
            Map.entry("percent at the end", "a=" + SECRET + "%"),
            Map.entry("half an escape", "a=" + SECRET + "%4"),
            Map.entry("no UTF-8", "a=" + SECRET + "%FF"),
            Map.entry("malformed name", SECRET + "%G1=1"),
            Map.entry("sound", "a=" + SECRET),
            Map.entry("text", SECRET),
            Map.entry("no end", PART),
            Map.entry("half an end", PART + "--abc-"),
            Map.entry("no beginning", SECRET + PART + "--abc--\r\n"),
            Map.entry("no disposition", "--abc\r\nContent-Type: text/plain\r\n\r\n" + SECRET + "\r\n--abc--\r\n"),
            Map.entry("no name", "--abc\r\nContent-Disposition: form-data\r\n\r\n" + SECRET + "\r\n--abc--\r\n"),
            Map.entry("no blank line", "--abc\r\nContent-Disposition: form-data; name=\"" + SECRET + "\"--abc--\r\n"),
            Map.entry(
                    "a name that is no UTF-8",
                    "--abc\r\nContent-Disposition: form-data; name=\"\u00e9\"\r\n\r\n" + SECRET + "\r\n--abc--\r\n"),
            Map.entry("51 parts", PART.repeat(51) + "--abc--\r\n"),
            Map.entry("no parts", "--abc--\r\n"));

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final List<String> thrown = new CopyOnWriteArrayList<>();
    private final TestServer server;

    MalformedBodyTest(Container.Kind container) {
        RoutePolicy policy = RoutePolicy.required()
                .responses(FilterManaged.storedIn(Idempotency.on(store), "malformed")
                        .build());
        server = new TestServer(container)
                .filter((request, response, chain) -> {
                    try {
                        chain.doFilter(request, response);
                    } catch (RuntimeException toContainer) {
                        thrown.add(String.valueOf(toContainer));
                        throw toContainer;
                    }
                })
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(policy)
                        .build())
                .handleMultipart("/*", (request, response) -> {
                    effects.add("fields: " + request.getParameterMap().size());
                    response.setStatus(201);
                })
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static RawExchange post(String path, String type) {
        return post(path, "k", type);
    }

    private static RawExchange post(String path, String key, String type) {
        return RawExchange.post(path).header("Idempotency-Key", key).header("Content-Type", type);
    }

    private void assertNothingIsClaimed() {
        assertThat(effects).isEmpty();
        assertThat(store.read(IdempotencyKey.inScope("anonymous")
                        .operation("malformed")
                        .value("k")))
                .isEmpty();
        assertThat(thrown).isEmpty();
    }

    @ParameterizedTest(name = "{0}, {1}, {2}")
    @CsvSource({
        "percent and no digits, application/x-www-form-urlencoded, /",
        "percent at the end, application/x-www-form-urlencoded, /",
        "half an escape, application/x-www-form-urlencoded, /",
        "no UTF-8, application/x-www-form-urlencoded, /",
        "malformed name, application/x-www-form-urlencoded, /",
        "sound, application/x-www-form-urlencoded, /?q=%ZZ",
        "text, text/plain, /?q=%ZZ",
        "no end, multipart/form-data; boundary=abc, /",
        "half an end, multipart/form-data; boundary=abc, /",
        "no beginning, multipart/form-data; boundary=abc, /",
        "no disposition, multipart/form-data; boundary=abc, /",
        "no name, multipart/form-data; boundary=abc, /",
        "no blank line, multipart/form-data; boundary=abc, /",
        "a name that is no UTF-8, multipart/form-data; boundary=abc, /",
        "no parts, multipart/form-data, /",
        "51 parts, multipart/form-data; boundary=abc, /",
    })
    void malformedRequestIsRefusedAndClaimsNothing(String body, String type, String path) throws Exception {
        for (boolean chunked : List.of(false, true)) {
            Answer answer =
                    post(path, type).chunked(chunked).body(BODIES.get(body)).send(server.port());

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.problem()).isEqualTo("request-malformed");
            assertThat(answer.body()).doesNotContain(SECRET);
            assertNothingIsClaimed();
        }
    }

    /** Without the filter, Jetty answers 500 as soon as it is asked for the media type. */
    @ParameterizedTest
    @CsvSource({"application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=abc"})
    void unknownCharsetIsRefusedAndClaimsNothing(String type) throws Exception {
        for (String charset : List.of("bogus", "\"%%\"")) {
            Answer answer = post("/", type + "; charset=" + charset)
                    .body(BODIES.get("sound"))
                    .send(server.port());
            assertThat(answer.problem()).isEqualTo("request-malformed");
            assertNothingIsClaimed();
        }
    }

    /** As both containers have it by default. */
    @Test
    void moreFieldsThanAContainerTakesAreRefused() throws Exception {
        for (int fields : List.of(1001, 5000)) {
            Answer answer = post("/", FORM).body("a=1&".repeat(fields)).send(server.port());
            assertThat(answer.status()).as(fields + " fields").isEqualTo(400);
            assertNothingIsClaimed();
        }
        assertThat(post("/", FORM).body("a=1&".repeat(1000)).send(server.port()).status())
                .isEqualTo(201);
    }

    @Test
    void formOfManyFieldsCostsLittleProcessorTime() throws Exception {
        post("/", "warm", FORM).body("a=1").send(server.port());
        effects.clear();
        var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = machine.getProcessCpuTime();
        Answer answer = post("/", FORM).body("a&".repeat(40_000)).send(server.port());
        long millis = (machine.getProcessCpuTime() - before) / 1_000_000;

        System.out.println("40,000 fields: status " + answer.status() + ", " + millis + " ms of processor time");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(effects).isEmpty();
        assertThat(millis).isLessThan(1000);
    }

    /** The client sends no end: a server that waits for it has taken all that came. */
    @Test
    void chunkedMultipartBodyStopsAtTheLimit() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(bytes("POST / HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Type: " + MULTIPART
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n"));
            byte[] chunk = bytes("10000\r\n" + "x".repeat(0x10000) + "\r\n");
            String head = "--abc\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n";
            out.write(bytes(Integer.toHexString(head.length()) + "\r\n" + head + "\r\n"));
            try {
                for (int i = 0; i <= 8 * 1024 * 1024 / 0x10000; i++) {
                    out.write(chunk);
                }
            } catch (IOException answeredAlready) {
                // Read below.
            }
            assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 413");
        }
        assertNothingIsClaimed();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
