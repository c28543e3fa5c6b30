package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A body of which another filter has taken something is refused: what is left does not say which request it is. */
@Tag("thorough")
@ParameterizedClass
@EnumSource(Container.Kind.class)
class ConsumedBodyTest {

    private static final String SECRET = "body-that-nobody-sees";

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private final RoutePolicy policy = RoutePolicy.required()
            .responses(FilterManaged.storedIn(Idempotency.on(store), "consumed").build());
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final List<String> thrown = new CopyOnWriteArrayList<>();
    private final TestServer server;
    private int keys;

    ConsumedBodyTest(Container.Kind container) {
        server = new TestServer(container)
                .filter(this::outer)
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(policy)
                        .build())
                .handleMultipart("/*", (request, response) -> {
                    effects.add("an effect");
                    response.setStatus(201);
                })
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A filter before the one under test, that takes what it should leave alone. */
    private void outer(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String way = ((HttpServletRequest) request).getHeader("Takes");
        switch (way == null ? "nothing" : way) {
            case "all as a stream" -> request.getInputStream().readAllBytes();
            case "all by a reader" -> {
                while (request.getReader().read() >= 0) {
                    // Until its end.
                }
            }
            case "a part as a stream" -> request.getInputStream().readNBytes(12);
            case "a part by a reader" -> {
                for (int i = 0; i < 12; i++) {
                    request.getReader().read();
                }
            }
            case "parameters" -> request.getParameter("none");
            case "parts" -> ((HttpServletRequest) request).getParts();
            default -> {}
        }
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error toContainer) {
            thrown.add(toContainer.toString());
            throw toContainer;
        }
    }

    private Answer send(String takes, boolean chunked, String type, String body, String key) throws IOException {
        return RawExchange.post("/")
                .header("Idempotency-Key", key)
                .header("Takes", takes)
                .header("Content-Type", type.equals("multipart") ? "multipart/form-data; boundary=abc" : type)
                .chunked(chunked)
                .body(body)
                .send(server.port());
    }

    /** Alike after what is taken as a part. */
    private static String body(String type, int number) {
        return switch (type) {
            case "multipart" ->
                "--abc\r\nContent-Disposition: form-data; name=\"n" + number
                        + "\"\r\n\r\n" + number + SECRET
                        + "\r\n--abc\r\nContent-Disposition: form-data; name=\"m\"\r\n\r\nx\r\n--abc--\r\n";
            case "application/x-www-form-urlencoded" -> "number=" + number + "&more=more&" + SECRET + "=1";
            default -> "number " + number + "    " + SECRET;
        };
    }

    @ParameterizedTest(name = "{0} of a {2} body, {1}")
    @CsvSource({
        "all,  length,  raw",
        "part, length,  raw",
        "all,  chunked, raw",
        "part, chunked, raw",
        "all,  length,  form",
        "part, length,  form",
        "all,  chunked, form",
        "part, chunked, form",
        "all,  length,  multipart",
        "part, length,  multipart",
        "all,  chunked, multipart",
        "part, chunked, multipart"
    })
    void consumedBodyIsRefusedAndClaimsNothing(String taken, String framing, String kind) throws Exception {
        String type = switch (kind) {
            case "form" -> "application/x-www-form-urlencoded";
            case "multipart" -> "multipart";
            default -> "application/octet-stream";
        };
        List<String> ways = taken.equals("part")
                ? List.of("a part as a stream", "a part by a reader")
                : switch (kind) {
                    case "form" -> List.of("all as a stream", "all by a reader", "parameters");
                    case "multipart" -> List.of("all as a stream", "all by a reader", "parts");
                    default -> List.of("all as a stream", "all by a reader");
                };
        for (String way : ways) {
            String key = "k-" + ++keys;
            for (int number = 1; number <= 2; number++) {
                Answer answer = send(way, framing.equals("chunked"), type, body(type, number), key);

                assertThat(answer.status()).as(way).isEqualTo(500);
                assertThat(answer.replayed()).as(way).isFalse();
                assertThat(answer.body()).as(way).doesNotContain(SECRET);
            }
            assertThat(effects).as(way).isEmpty();
            assertThat(store.read(IdempotencyKey.inScope("anonymous")
                            .operation("consumed")
                            .value(key)))
                    .as(way)
                    .isEmpty();
            assertThat(thrown)
                    .as(way)
                    .hasSize(2)
                    .allSatisfy(message -> assertThat(message)
                            .contains("IllegalStateException", "before", "idempotency filter")
                            .doesNotContain(SECRET));
            thrown.clear();
        }
    }

    @Test
    void bodyThatIsWholeIsNotTakenForConsumed() throws Exception {
        for (boolean chunked : List.of(false, true)) {
            for (String type : List.of(
                    "application/octet-stream", "application/x-www-form-urlencoded", "multipart", "text/plain")) {
                for (String body : type.equals("multipart") ? List.of(body(type, 1)) : List.of("", body(type, 1))) {
                    String key = "whole-" + ++keys;
                    Answer answer = send("nothing", chunked, type, body, key);

                    assertThat(answer.status())
                            .as("%s, chunked %s: %s", type, chunked, body)
                            .isEqualTo(201);
                    assertThat(send("nothing", chunked, type, body, key).replayed())
                            .isTrue();
                }
            }
        }
    }
}
