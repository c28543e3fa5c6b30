package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.JaxRsTest.BookingResource;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.glassfish.jersey.server.ResourceConfig;

/** Parts of a service, which the page on HTTP shows. */
final class ServiceExample {

    private ServiceExample() {}

    /** Another service, that keeps payments by the hash that they came with. */
    static final class Gateway {
        final Map<String, String> payments = new ConcurrentHashMap<>();

        String pay(String hash, String what) {
            payments.put(hash, what);
            return what;
        }

        Optional<String> find(String hash) {
            return Optional.ofNullable(payments.get(hash));
        }
    }

    static Filter filter(Idempotency<Transaction> idempotency, Gateway gateway) {
        // region filter
        FilterManaged cards = FilterManaged.storedIn(
                        idempotency,
                        "cards",
                        unresolved -> gateway.find(unresolved.key().hash())
                                .map(paid ->
                                        StoredResponse.of(201, "text/plain", paid.getBytes(StandardCharsets.UTF_8))))
                .build();
        Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.principal())
                .route("/payments", RoutePolicy.required())
                .route("/cards/*", RoutePolicy.required().responses(cards))
                .route("/searches", RoutePolicy.optional())
                .elsewhere(RoutePolicy.off())
                .documentation(URI.create("https://api.example.com/idempotency"))
                .build();
        // endregion
        return filter;
    }

    // region jax-rs
    /** A JAX-RS application whose resources don't catch the library's exceptions. */
    static final class Bookings extends ResourceConfig {
        Bookings(Idempotency<Transaction> idempotency) {
            register(new BookingResource(idempotency));
            register(IdempotencyExceptionMapper.class);
        }
    }
    // endregion

    // region response
    /** Filter-managed: the charge is an external effect, under the hash of the key that the filter has claimed. */
    static final class ChargeCard extends HttpServlet {
        private static final long serialVersionUID = 1L;

        private final transient Gateway gateway;

        ChargeCard(Gateway gateway) {
            this.gateway = gateway;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String what = request.getReader().readLine();
            String hash = IdempotentRequest.of(request).key().orElseThrow().hash();
            response.setStatus(HttpServletResponse.SC_CREATED);
            response.setContentType("text/plain");
            response.getWriter().write(gateway.pay(hash, what));
        }
    }
    // endregion

    static Idempotency<Transaction> idempotency() {
        return Idempotency.on(new InMemoryIdempotencyStore());
    }

    // region iceberg
    /** A catalog's routes. Its configuration says {@code "idempotency-key-lifetime": "PT30M"}. */
    static RoutePolicy catalog(FilterManaged responses) {
        return RoutePolicy.optional()
                .methods("POST", "DELETE")
                .keyLifetime(Duration.ofMinutes(30))
                .expireKeys(KeyTime.uuidV7(), Duration.ofHours(1))
                .responses(responses);
    }
    // endregion
}
