package io.counterpoint.idempotency.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where duplicates are only counted, the filter refuses nothing that a handler could still take. */
class PassRefusedTest {

    private static final ScopeResolver BY_HEADER = request -> {
        if ("broken".equals(request.getHeader("User"))) {
            throw new IllegalStateException("no directory");
        }
        return Optional.ofNullable(request.getHeader("User"));
    };

    private static IdempotencyFilter.Builder filter() {
        return IdempotencyFilter.scopedBy(BY_HEADER)
                .elsewhere(RoutePolicy.optional().maxRequestBody(5))
                .passRefused();
    }

    /** The handler says whether it has an attempt, and echoes the body. */
    private static TestServer server(Container.Kind kind, IdempotencyFilter filter) {
        return new TestServer(kind)
                .filter(filter)
                .handle(
                        "/pay",
                        (request, response) -> response.getWriter()
                                .print(IdempotentRequest.find(request).isPresent() + " "
                                        + new String(request.getInputStream().readAllBytes(), UTF_8)));
    }

    private static Answer post(TestServer server, String user, String key, String body) throws Exception {
        return Client.JDK.send(
                Request.to(server.uri("/pay")).header("User", user).key(key).body(body));
    }

    @ParameterizedTest
    @EnumSource(Container.Kind.class)
    void requestThatWouldBeRefusedReachesItsHandlerWithItsBody(Container.Kind kind) throws Exception {
        try (TestServer server = server(kind, filter().build()).start()) {
            assertThat(post(server, "user:1", "\"k\"", "12345").body()).isEqualTo("true 12345");
            assertThat(post(server, "user:1", "bad key", "12345").body())
                    .as("a malformed key")
                    .isEqualTo("false 12345");
            assertThat(post(server, "broken", "\"k\"", "12345").body())
                    .as("a caller that cannot be found out")
                    .isEqualTo("false 12345");
            assertThat(post(server, "user:1", "\"k\"", "123456").body())
                    .as("a body that is too large")
                    .isEqualTo("false 123456");
            Answer unknown =
                    Client.JDK.send(Request.to(server.uri("/pay")).key("\"k\"").body("12345"));
            assertThat(unknown.body()).as("nobody").isEqualTo("false 12345");
        }
    }

    @Test
    void malformedFormIsRefusedSinceItsBodyIsRead() throws Exception {
        IdempotencyFilter filter = IdempotencyFilter.scopedBy(BY_HEADER)
                .elsewhere(RoutePolicy.optional())
                .passRefused()
                .build();
        try (TestServer server = server(Container.Kind.JETTY, filter).start()) {
            Answer answer = Client.JDK.send(Request.to(server.uri("/pay"))
                    .header("User", "user:1")
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .key("\"k\"")
                    .body("a=%zz"));
            assertThat(answer.status()).isEqualTo(400);
        }
    }

    @Test
    void filterThatWouldRefuseOrStoreIsNotBuilt() {
        FilterManaged stored = FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "pay")
                .build();
        refused(filter().route("/pay", RoutePolicy.required()), "this one would refuse requests");
        refused(filter().unusedKey(UnusedKey.FAIL), "this one would refuse requests");
        refused(filter().route("/pay", RoutePolicy.optional().responses(stored)), "a route stores its responses");
        refused(IdempotencyFilter.scopedBy(BY_HEADER).passRefused(), "this one would refuse requests");
        assertThat(filter().route("/pay", RoutePolicy.off()).build()).isNotNull();
    }

    private static void refused(IdempotencyFilter.Builder builder, String why) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
