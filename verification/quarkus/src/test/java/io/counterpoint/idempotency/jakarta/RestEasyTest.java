package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The key of a request in RESTEasy without servlets. */
@QuarkusTest
@QuarkusTestResource(QuarkusStoreContractTest.Postgres.class)
@Tag("matrix")
class RestEasyTest {

    @TestHTTPResource("/bookings")
    URI bookings;

    @Inject
    Bookings effects;

    /** The use case. */
    @ApplicationScoped
    public static class Bookings {
        private final AtomicInteger booked = new AtomicInteger();

        /** Books. */
        @Idempotent(operation = "book", key = "#attempt")
        public String book(String order) {
            return order + booked.incrementAndGet();
        }

        int booked() {
            return booked.get();
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
    }

    private HttpResponse<String> send(String key, String order) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(bookings)
                                .header("Idempotency-Key", key)
                                .header("Content-Type", "text/plain")
                                .POST(BodyPublishers.ofString(order))
                                .build(),
                        BodyHandlers.ofString());
    }

    @Test
    void retryIsReplayedAndAnotherRequestWithItsKeyIsRefused() throws Exception {
        assertThat(send("k", "a").body()).isEqualTo("a1");
        HttpResponse<String> retry = send("k", "a");
        assertThat(retry.body()).isEqualTo("a1");
        assertThat(retry.headers().firstValue("Idempotent-Replayed")).contains("true");
        HttpResponse<String> reused = send("k", "b");
        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(reused.body()).contains("#key-reused");
        assertThat(effects.booked()).isEqualTo(1);
    }
}
