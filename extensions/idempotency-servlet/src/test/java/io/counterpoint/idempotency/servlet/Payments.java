package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.testkit.FaultyStore;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A small service on Jetty: {@code /payments} in the use-case style, {@code /transfers} in the response style, each with
 * its effects counted. The caller is who the header {@code Caller} says.
 */
final class Payments implements AutoCloseable {

    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    final FaultyStore<InMemoryIdempotencyStore.Transaction> store = FaultyStore.around(new InMemoryIdempotencyStore());
    final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency = Idempotency.on(store);

    /** The effects, by the body that asked for them. */
    final List<String> effects = new CopyOnWriteArrayList<>();

    final Operation<InMemoryIdempotencyStore.Transaction, String> charge = idempotency
            .operation("charge", ResultCodec.string())
            .describeFailure(thrown -> new Failure("card-declined", "The card was declined."))
            .build();

    /** What the response style's handler does after its effect; tests replace it. */
    volatile TestServer.Handler transfer = (request, response) -> {
        response.setStatus(201);
        response.setContentType("application/json");
        response.setHeader("Location", "/transfers/" + effects.size());
        response.setHeader("Set-Cookie", "session=secret");
        response.getWriter().write("{\"transfer\":" + effects.size() + "}");
    };

    /** What the use-case style's work does after its effect; tests replace it. */
    volatile Runnable work = () -> {};

    /** What the look-up of the response style finds. */
    volatile Optional<StoredResponse> found = Optional.empty();

    final ResponseStyle style;
    final TestServer server;

    Payments() {
        style = ResponseStyle.storedIn(idempotency, "transfer", unresolved -> found)
                .means(Meaning.EFFECT, 404)
                .maxStoredBody(1000)
                .build();
        RoutePolicy transfers = RoutePolicy.required().responses(style);
        IdempotencyFilter filter = IdempotencyFilter.scopedBy(Payments::callerOf)
                .route("/payments", RoutePolicy.required().maxRequestBody(10_000))
                .route("/optional", RoutePolicy.optional())
                .route("/off", RoutePolicy.off())
                .route("/strict", RoutePolicy.required().strictKeys())
                .route("/fallback", RoutePolicy.required().fallbackHeader("X-Request-Id"))
                .route("/put", RoutePolicy.required().methods("PUT"))
                .route("/timed", RoutePolicy.required().expireKeys(KeyTime.uuidV7(), Duration.ofHours(24)))
                .route("/transfers/*", transfers)
                .route("/forwarding", transfers)
                .documentation(java.net.URI.create("https://payments.example/idempotency"))
                .clock(Clock.fixed(NOW, ZoneOffset.UTC))
                .build();
        server = new TestServer().filter(filter);
        for (String path : List.of("/payments", "/optional", "/off", "/strict", "/fallback", "/put", "/timed")) {
            server.handle(path, (request, response) -> {
                String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                String receipt = IdempotentRequest.find(request).isPresent() ? charge(request, body) : pay(body);
                response.setStatus(201);
                response.setContentType("application/json");
                response.getWriter().write("{\"receipt\":\"" + receipt + "\"}");
            });
        }
        server.handle("/transfers/*", (request, response) -> {
            pay(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            transfer.handle(request, response);
        });
        server.handle(
                "/forwarding",
                (request, response) ->
                        request.getRequestDispatcher("/transfers/forwarded").forward(request, response));
        server.start();
    }

    private String charge(HttpServletRequest request, String body) {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        return idempotent.resultOf(charge.execute(idempotent.attempt(), transaction -> {
            transaction.onCommit(() -> effects.add(body));
            work.run();
            return "r-" + body;
        }));
    }

    private String pay(String body) {
        effects.add(body);
        return "r-" + body;
    }

    private static Optional<String> callerOf(HttpServletRequest request) {
        String caller = request.getHeader("Caller");
        return caller == null ? Optional.of("user:1") : Optional.of(caller).filter(it -> !it.equals("nobody"));
    }

    /** A request to a path, with a body. */
    Client.Request request(String path, String body) {
        return Client.Request.to(server.uri(path)).body(body);
    }

    /** The key of a transfer as the store has it. */
    static IdempotencyKey transferKey(String value) {
        return new IdempotencyKey("user:1", "transfer", value);
    }

    /** Lets the next leader's work wait until so many calls have tried to claim from now. */
    void leaderWaitsForClaims(int claims) {
        long due = claims() + claims;
        Runnable wait = () -> {
            while (claims() < due) {
                Thread.onSpinWait();
            }
        };
        TestServer.Handler answer = transfer;
        work = wait;
        transfer = (request, response) -> {
            wait.run();
            answer.handle(request, response);
        };
    }

    private long claims() {
        return store.calls().stream().filter(FaultyStore.Step.OPEN::equals).count();
    }

    @Override
    public void close() {
        server.close();
    }
}
