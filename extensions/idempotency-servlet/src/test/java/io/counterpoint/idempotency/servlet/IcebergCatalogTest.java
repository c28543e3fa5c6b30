package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The header as Iceberg's REST catalog has it: optional, a UUID of version 7 without quotes, for DELETE too. */
class IcebergCatalogTest {

    private static final String TABLE = "/v1/namespaces/sales/tables/orders";

    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final FilterManaged catalog = FilterManaged.storedIn(
                    Idempotency.on(new InMemoryIdempotencyStore()), "catalog")
            .retention(Duration.ofHours(2))
            .build();
    private final TestServer server = new TestServer(Container.Kind.JETTY)
            .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                    .route("/v1/*", ServiceExample.catalog(catalog))
                    .build())
            .handle("/v1/*", (request, response) -> {
                effects.add(request.getMethod());
                response.setStatus(request.getMethod().equals("DELETE") ? 204 : 200);
            })
            .start();

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer send(String method, String key, String body) throws Exception {
        Client.Request request =
                Client.Request.to(server.uri(TABLE)).method(method).body(body);
        return Client.JDK.send(key.isEmpty() ? request : request.key(key));
    }

    private static String keyOf(Instant time) {
        return new UUID(time.toEpochMilli() << 16 | 0x7abc, 0x8123456789abcdefL).toString();
    }

    @Test
    void retriesOfCommitsAndDropsAreReplayed() throws Exception {
        for (String method : List.of("POST", "DELETE")) {
            effects.clear();
            String key =
                    keyOf(method.equals("POST") ? Instant.now() : Instant.now().minusSeconds(1));
            Answer first = send(method, key, "a");
            Answer retry = send(method, key, "a");

            assertThat(first.status()).isEqualTo(method.equals("POST") ? 200 : 204);
            assertThat(retry.status()).isEqualTo(first.status());
            assertThat(retry.replayed()).isTrue();
            assertThat(retry.header("Idempotency-Key-Lifetime")).isEqualTo("1800");
            assertThat(effects).containsExactly(method);
            assertThat(send(method, key, "b").problem()).isEqualTo("key-reused");
        }
    }

    @Test
    void keyIsOptionalAndAnOldOneIsRefused() throws Exception {
        assertThat(send("POST", "", "a").status()).isEqualTo(200);
        assertThat(send("POST", keyOf(Instant.now().minus(Duration.ofMinutes(61))), "a")
                        .problem())
                .isEqualTo("key-expired");
        assertThat(effects).hasSize(1);
    }

    @Test
    void lifetimeHasTheFormOfTheConfiguration() {
        assertThat(ServiceExample.catalog(catalog).keyLifetime().orElseThrow()).hasToString("PT30M");
    }
}
