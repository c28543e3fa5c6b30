package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.http.MediaType;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.client.RestClient;

/** When a stored call is done, and that a multipart call is the same call after a restart. */
class StoredCallsTest {

    private static final int LARGE = 4_000_000;

    private final Semaphore rest = new Semaphore(0);
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private volatile boolean cut;
    private final TestServer server = new TestServer()
            .handle("/large", (request, response) -> {
                keys.add(request.getHeader(CallKey.HEADER));
                response.setContentLength(LARGE);
                response.getOutputStream().write(new byte[LARGE / 2]);
                response.flushBuffer();
                rest.acquireUninterruptibly();
                if (cut) {
                    throw new IOException("The body ends here.");
                }
                response.getOutputStream().write(new byte[LARGE / 2]);
            })
            .handle("/upload", (request, response) -> {
                keys.add(request.getHeader(CallKey.HEADER));
                response.getWriter().write("done");
            })
            .start();

    private final JdbcDataSource database = new JdbcDataSource();
    private final ClientKeys stored = ClientKeys.in(database);
    private final HttpClient http = HttpClient.newHttpClient();
    private final RestClient spring = RestClient.builder()
            .baseUrl("http://127.0.0.1:" + server.port())
            .requestFactory(IdempotentCallInterceptor.requestFactory(http))
            .requestInterceptor(IdempotentCallInterceptor.with(
                    CallSettings.builder().tries(1).build(), stored))
            .build();

    StoredCallsTest() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        Jdbi.create(database).useHandle(handle -> handle.execute(ClientKeysTest.table()));
    }

    @AfterEach
    void stop() {
        rest.release(9);
        server.close();
    }

    private HttpResponse<InputStream> streamed() {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/large"))
                .POST(BodyPublishers.ofString("coffee"))
                .build();
        CallResult<HttpResponse<InputStream>> result =
                IdempotentHttpClient.over(http).send(stored, "order 42", request, BodyHandlers.ofInputStream());
        assertThat(result).isInstanceOf(CallResult.Succeeded.class);
        return ((CallResult.Succeeded<HttpResponse<InputStream>>) result).response();
    }

    private RestClient.ResponseSpec throughSpring(String path, Object body, MediaType type) {
        return spring.post()
                .uri(path)
                .contentType(type)
                .attribute(IdempotentCallInterceptor.CALL_ID, "order 42")
                .body(body)
                .retrieve();
    }

    @Test
    void streamedCallIsDoneWhenItsBodyHasBeenRead() throws Exception {
        try (InputStream body = streamed().body()) {
            assertThat(body.readNBytes(1000)).hasSize(1000);
            assertThat(stored.unfinished(10)).hasSize(1);

            rest.release();
            assertThat(body.readAllBytes()).hasSize(LARGE - 1000);
        }
        assertThat(stored.unfinished(10)).isEmpty();
    }

    @Test
    void streamThatBreaksLeavesTheCallUnfinished() throws Exception {
        cut = true;
        try (InputStream body = streamed().body()) {
            rest.release();
            assertThatThrownBy(body::readAllBytes).isInstanceOf(IOException.class);
        }
        assertThat(stored.unfinished(10)).hasSize(1);
    }

    @Test
    void bodyThatBreaksInSpringsConverterLeavesTheCallUnfinishedAndItsKeyKnown() {
        cut = true;
        rest.release();
        IdempotentCallException broken = catchThrowableOfType(
                IdempotentCallException.class,
                () -> throughSpring("/large", "coffee", MediaType.TEXT_PLAIN).body(byte[].class));
        assertThat(broken.result()).isInstanceOf(CallResult.Unknown.class);
        assertThat(stored.unfinished(10))
                .extracting(ClientKeys.Unfinished::key)
                .containsExactly(broken.result().key());

        cut = false;
        rest.release();
        assertThat(throughSpring("/large", "coffee", MediaType.TEXT_PLAIN).body(byte[].class))
                .hasSize(LARGE);
        assertThat(stored.unfinished(10)).isEmpty();
        assertThat(keys).hasSize(2).containsOnly(keys.get(0));
    }

    @Test
    void bodyThatNobodyWantsIsReadAtTheEnd() {
        rest.release();
        assertThat(throughSpring("/large", "coffee", MediaType.TEXT_PLAIN)
                        .toBodilessEntity()
                        .getStatusCode()
                        .value())
                .isEqualTo(200);
        assertThat(stored.unfinished(10)).isEmpty();
    }

    private static Object upload(String file) {
        LinkedMultiValueMap<String, Object> parts = new LinkedMultiValueMap<>();
        parts.add("note", "breakfast");
        parts.add("file", new ByteArrayResource(file.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public String getFilename() {
                return "order.txt";
            }
        });
        return parts;
    }

    @Test
    void multipartCallGoesOnWithAnotherBoundary() {
        MediaType type = MediaType.MULTIPART_FORM_DATA;
        assertThat(throughSpring("/upload", upload("coffee"), type).body(String.class))
                .isEqualTo("done");
        assertThat(throughSpring("/upload", upload("coffee"), type).body(String.class))
                .isEqualTo("done");

        assertThat(keys).hasSize(2).containsOnly(keys.get(0));
        assertThatThrownBy(() -> throughSpring("/upload", upload("cake"), type).body(String.class))
                .isInstanceOf(CallMismatchException.class);
    }

    @Test
    void multipartBodiesAreComparedByTheirParts() {
        String two = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B\r\n\r\n2\r\n--B--\r\n";

        assertThat(fingerprint("\"x 7\"", two.replace("B", "x 7"))).isEqualTo(fingerprint("B", two));
        assertThat(fingerprint("B", two.replace("1", "3"))).isNotEqualTo(fingerprint("B", two));
        assertThat(fingerprint("B", two.replace("\r\n--B\r\n\r\n2", "2"))).isNotEqualTo(fingerprint("B", two));
        // What only begins like the boundary is content.
        assertThat(fingerprint("B", two.replace("1", "1\r\n--Bx")))
                .isNotEqualTo(fingerprint("C", two.replace("B", "C").replace("1", "1\r\n--Cx")));
        // What has no parts is compared as it is.
        assertThat(fingerprint("B", "coffee")).isNotEqualTo(fingerprint("C", "coffee"));
    }

    private static Object fingerprint(String boundary, String body) {
        return Requests.fingerprint(
                "POST",
                URI.create("/upload"),
                "multipart/form-data; boundary=" + boundary,
                body.getBytes(StandardCharsets.ISO_8859_1));
    }
}
