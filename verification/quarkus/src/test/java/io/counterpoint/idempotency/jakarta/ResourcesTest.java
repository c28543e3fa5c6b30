package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.ext.MessageBodyWriter;
import jakarta.ws.rs.ext.Provider;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Type;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key of a request in Quarkus without servlets: in RESTEasy, and with {@code -Dquarkus.resources} in quarkus-rest. */
@QuarkusTest
@QuarkusTestResource(QuarkusStoreContractTest.Postgres.class)
@Tag("matrix")
class ResourcesTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TestHTTPResource("/")
    URI root;

    @Inject
    Bookings bookings;

    /** The use case. */
    @ApplicationScoped
    public static class Bookings {
        private final AtomicInteger booked = new AtomicInteger();

        /** How often it has, since this was asked before. */
        public int bookedSince() {
            return booked.getAndSet(0);
        }

        /** With the key of the request. */
        @Idempotent(operation = "book", key = "#attempt")
        public String book(String order) {
            return order + booked.incrementAndGet();
        }

        /** With a key of its own. */
        @Idempotent(operation = "own", key = "#order", scope = "'s'")
        public String own(String order) {
            return order + booked.incrementAndGet();
        }

        /** With a key that belongs to the first request. */
        @Idempotent(operation = "taken", key = "'taken'", scope = "'s'", request = "#order")
        public String taken(String order) {
            return order;
        }

        /** In the caller's scope. */
        @Idempotent(operation = "of-caller", key = "#order")
        public String ofCaller(String order) {
            return order + booked.incrementAndGet();
        }
    }

    /** What no body writer can write. */
    public record Unwritable(String text) {}

    /** Finds out that it cannot. */
    @Provider
    public static class Writer implements MessageBodyWriter<Unwritable> {
        @Override
        public boolean isWriteable(Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
            return type == Unwritable.class;
        }

        @Override
        public void writeTo(
                Unwritable entity,
                Class<?> type,
                Type generic,
                Annotation[] annotations,
                MediaType media,
                MultivaluedMap<String, Object> headers,
                OutputStream out) {
            throw new WebApplicationException("Cannot be written.", 400);
        }
    }

    /** Marks resources whose answers a filter changes. */
    @NameBinding
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Conflicting {}

    /** The last of an application's own. */
    @Provider
    @Conflicting
    @Priority(1)
    public static class Conflict implements ContainerResponseFilter {
        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            response.setStatus(409);
        }
    }

    /** The web. */
    @Path("/bookings")
    public static class BookingsResource {
        @Inject
        Bookings bookings;

        /** Books. */
        @POST
        public String book(String order) {
            return bookings.book(order);
        }

        /** Whether quarkus-rest calls it. */
        @GET
        @Path("/reactive")
        public String reactive() {
            return StackWalker.getInstance()
                    .walk(frames -> Boolean.toString(
                            frames.anyMatch(it -> it.getClassName().startsWith("org.jboss.resteasy.reactive."))));
        }

        /** Has an effect, and then meets a key that belongs to another request. */
        @POST
        @Path("/two")
        public String two(String order) {
            return bookings.own(order) + bookings.taken(order);
        }

        /** The same while its entity is written. */
        @POST
        @Path("/streaming")
        public StreamingOutput streaming(String order) {
            return out -> {
                String unused = two(order);
            };
        }

        /** The same in another thread. */
        @POST
        @Path("/suspended")
        public void suspended(@Suspended AsyncResponse response, String order) {
            elsewhere(response, () -> two(order));
        }

        /** In the scope of a caller whom nobody knows there. */
        @POST
        @Path("/of-caller")
        public void ofCaller(@Suspended AsyncResponse response, String order) {
            elsewhere(response, () -> bookings.ofCaller(order));
        }

        private static void elsewhere(AsyncResponse response, java.util.function.Supplier<String> call) {
            new Thread(() -> {
                        try {
                            response.resume(call.get());
                        } catch (RuntimeException thrown) {
                            response.resume(thrown);
                        }
                    })
                    .start();
        }

        /** Its writer fails. */
        @POST
        @Path("/unwritable")
        public Unwritable unwritable(String order) {
            return new Unwritable(bookings.book(order));
        }

        /** A filter makes it an error. */
        @POST
        @Path("/conflict")
        @Conflicting
        public String conflict(String order) {
            return bookings.own(order);
        }

        /** The body of the request. */
        @POST
        @Path("/echo")
        public StreamingOutput echo(InputStream body) {
            return body::transferTo;
        }

        /** Lacks its key without a body. */
        @POST
        @Path("/own")
        public String own(String order) {
            return bookings.own(order);
        }
    }

    private HttpResponse<String> send(String path, String key, String type, String body) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(root.resolve("/bookings" + path)).POST(BodyPublishers.ofString(body));
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return CLIENT.send(request.header("Idempotency-Key", key).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> send(String path) throws Exception {
        String id = UUID.randomUUID().toString();
        return send(path, id, "text/plain", id);
    }

    @BeforeEach
    void takeTheKey() {
        assertThat(bookings.taken("first")).isEqualTo("first");
        int unused = bookings.bookedSince();
    }

    /** Quarkus may have kept the dependencies of a run with the other one. */
    @Test
    void resourcesAreThoseOfTheSetting() throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(root.resolve("/bookings/reactive")).build();
        assertThat(CLIENT.send(request, BodyHandlers.ofString()).body())
                .isEqualTo(Boolean.toString("quarkus-rest".equals(System.getProperty("quarkus.resources"))));
    }

    @Test
    void retryIsReplayedAndAnotherRequestWithItsKeyIsRefused() throws Exception {
        assertThat(send("", "k", "text/plain", "a").body()).isEqualTo("a1");
        HttpResponse<String> retry = send("", "k", "text/plain", "a");
        assertThat(retry.body()).isEqualTo("a1");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
        HttpResponse<String> reused = send("", "k", "text/plain", "b");
        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(reused.body()).contains("#key-reused");
        assertThat(bookings.bookedSince()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/two", "/streaming", "/suspended"})
    void noAnswerDeniesTheEffectOfAnotherCallWhereverItWasMade(String path) throws Exception {
        HttpResponse<String> answer = send(path);
        assertThat(bookings.bookedSince()).isEqualTo(1);
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).doesNotContain("#key-reused");
    }

    @ParameterizedTest
    @CsvSource({"/unwritable, 400", "/conflict, 409"})
    void errorThatIsMadeOfAnAnswerIsMarked(String path, int status) throws Exception {
        HttpResponse<String> answer = send(path);
        assertThat(bookings.bookedSince()).isEqualTo(1);
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Idempotency-May-Have-Effect")).contains("true");
    }

    @Test
    void bodyStaysUntilTheEntityIsWritten() throws Exception {
        String large = "x".repeat(300_000);
        assertThat(send("/echo", "large", "text/plain", large).body()).isEqualTo(large);
    }

    /** The client of the JDK sends none. */
    @Test
    void bodyWithTrailersReachesTheResource() throws Exception {
        try (Socket socket = new Socket(root.getHost(), root.getPort())) {
            String request = """
                    POST /bookings HTTP/1.1
                    Host: localhost
                    Connection: close
                    Content-Type: text/plain
                    Idempotency-Key: trailers
                    Trailer: Digest
                    Transfer-Encoding: chunked

                    5
                    order
                    0
                    Digest: none

                    """;
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200")
                    .contains("order1");
        }
    }

    @Test
    void refusalsHaveTheirProblems() throws Exception {
        HttpResponse<String> form = send("/own", "form", "application/x-www-form-urlencoded", "a=b");
        assertThat(form.statusCode()).isEqualTo(400);
        assertThat(form.body()).contains("#request-malformed");
        HttpResponse<String> incomplete = send("/own", "incomplete", "text/plain", "");
        assertThat(incomplete.statusCode()).isEqualTo(400);
        assertThat(incomplete.body()).contains("#request-malformed");
        assertThat(send("/of-caller").body()).contains("#caller-unknown");
        assertThat(bookings.bookedSince()).isZero();
    }
}
