package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A setting that makes no sense is refused where it is made. */
class SettingsTest {

    private final FilterManaged.Builder style =
            FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "settings");
    private final RoutePolicy policy = RoutePolicy.required();
    private final IdempotencyFilter.Builder filter = IdempotencyFilter.scopedBy(ScopeResolver.anonymous());

    private static void refused(ThrowingCallable setting) {
        assertThatThrownBy(setting).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void headersOfOneExchangeAreNeverReplayed() {
        StoredResponse response = StoredResponse.of(200, "text/plain", new byte[0]);
        for (String name : List.of("Set-Cookie", "set-cookie", "Date", "Connection", "Transfer-Encoding", "Trailer")) {
            refused(() -> style.alsoReplay(name));
            refused(() -> response.withHeader(name, "x"));
        }
        assertThat(style.alsoReplay("X-Rate-Limit").build()).isNotNull();
    }

    @Test
    void answersThatRetriesMayGetBetterAreNeverStored() {
        for (int status : List.of(400, 401, 409, 422, 429, 500, 502, 503, 504)) {
            refused(() -> style.means(Meaning.EFFECT, status));
        }
        assertThat(style.means(Meaning.EFFECT, 402, 404).build()).isNotNull();
    }

    @Test
    void sizesMethodsTimesAndRoutesAreChecked() {
        refused(() -> style.maxStoredBody(-1));
        refused(() -> style.maxStoredBody(16_000_001));
        refused(() -> policy.maxRequestBody(-1));
        refused(() -> policy.bodyInMemory(-1));
        for (String safe : List.of("GET", "HEAD", "OPTIONS", "TRACE")) {
            refused(() -> policy.methods(safe));
        }
        refused(() -> policy.expireKeys(KeyTime.uuidV7(), Duration.ZERO));
        refused(() -> policy.keyLifetime(Duration.ofMillis(999)));
        refused(() -> filter.route("groups", policy));
        refused(() -> filter.route("/a*", policy));
        refused(() -> filter.route("/groups", policy).route("/groups", policy));
        refused(() -> filter.retryAfter(Duration.ofMillis(999)));
        refused(() -> filter.documentation(URI.create("idempotency")));
    }

    @Test
    void noAnswerPromisesALifetimeBeyondTheRetention() {
        FilterManaged aDay = style.build();

        refused(() -> policy.responses(aDay).keyLifetime(Duration.ofDays(2)));
        refused(() -> policy.keyLifetime(Duration.ofDays(2)).responses(aDay));
        assertThat(policy.responses(aDay).keyLifetime(Duration.ofDays(1))).isNotNull();
    }

    /** JAX-RS serves both by one resource. */
    @Test
    void pathWithASlashAtItsEndHasThePolicyOfThePath() {
        RoutePolicy required = RoutePolicy.required();
        RoutePolicy below = RoutePolicy.optional();
        Routes.Builder builder = new Routes.Builder();
        builder.add("/orders", required);
        builder.add("/orders/*", below);
        builder.elsewhere(RoutePolicy.off());
        Routes routes = builder.build();

        assertThat(routes.routeFor("/orders").policy()).isSameAs(required);
        assertThat(routes.routeFor("/orders/").policy()).isSameAs(required);
        assertThat(routes.routeFor("/orders/1").policy()).isSameAs(below);
        assertThat(routes.routeFor("/orders/1/").policy()).isSameAs(below);
        assertThat(routes.routeFor("/")).isSameAs(routes.elsewhere());
    }
}
