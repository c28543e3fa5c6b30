package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A small service: {@code /payments} is handler-managed, {@code /transfers} is filter-managed. The effects of each are
 * counted. The header {@code Caller} names the caller.
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
            // A store that is gone stays away until it is asked for again.
            .settleWithin(Duration.ofMillis(200))
            .build();

    /** What the handler of {@code /transfers} does after its effect; tests replace it. */
    volatile TestServer.Handler transfer = (request, response) -> {
        response.setStatus(201);
        response.setContentType("application/json");
        response.setHeader("Location", "/transfers/" + effects.size());
        response.setHeader("Set-Cookie", "session=secret");
        response.getWriter().write("{\"transfer\":" + effects.size() + "}");
    };

    /** What the handler of {@code /payments} does before it executes its operation; tests replace it. */
    volatile TestServer.Handler before = (request, response) -> {};

    /** What the work of {@code /payments} does after its effect; tests replace it. */
    volatile Runnable work = () -> {};

    /** What the lookup of {@code /transfers} finds. */
    volatile Optional<StoredResponse> found = Optional.empty();

    /** Whether the caller has lost its permissions since. */
    volatile boolean revoked;

    /** What came out of the filter to the container, with its causes and stack traces. */
    final List<String> thrown = new CopyOnWriteArrayList<>();

    /** A result that is stored and cannot be read again, and one that cannot be stored. */
    final Operation<InMemoryIdempotencyStore.Transaction, String> badlyRead = idempotency
            .operation("badly-read", ResultCodec.<String>text(text -> text, Payments::refuse))
            .build();

    final Operation<InMemoryIdempotencyStore.Transaction, String> badlyWritten = idempotency
            .operation("badly-written", ResultCodec.<String>text(Payments::refuse, text -> text))
            .build();

    final PlannedOperation<InMemoryIdempotencyStore.Transaction, String> badlyPlanned = idempotency
            .operation("badly-planned", ResultCodec.<String>text(Payments::refuse, text -> text))
            .planned()
            .build();

    final FilterManaged style;
    final TestServer server;

    Payments() {
        this(Container.Kind.JETTY);
    }

    Payments(Container.Kind container) {
        style = FilterManaged.storedIn(idempotency, "transfer", unresolved -> found)
                .means(Meaning.EFFECT, 404)
                .maxStoredBody(1000)
                .replayOnlyIf(request -> !revoked)
                .build();
        RoutePolicy transfers = RoutePolicy.required().responses(style);
        IdempotencyFilter filter = IdempotencyFilter.scopedBy(Payments::callerOf)
                .route("/payments", RoutePolicy.required().maxRequestBody(10_000))
                .route("/lasting", transfers.keyLifetime(Duration.ofHours(24)))
                .route("/optional", RoutePolicy.optional())
                .route("/off", RoutePolicy.off())
                .route("/strict", RoutePolicy.required().strictKeys())
                .route("/fallback", RoutePolicy.required().fallbackHeader("X-Request-Id"))
                .route("/put", RoutePolicy.required().methods("PUT"))
                .route("/timed", RoutePolicy.required().expireKeys(KeyTime.uuidV7(), Duration.ofHours(24)))
                .route("/transfers/*", transfers)
                .route("/forwarding", transfers)
                .route(
                        "/limited",
                        RoutePolicy.required()
                                .responses(FilterManaged.storedIn(idempotency, "limited")
                                        .unresolvedAtMost(1)
                                        .build()))
                .route("/error-page", transfers)
                .documentation(java.net.URI.create("https://payments.example/idempotency"))
                .clock(Clock.fixed(NOW, ZoneOffset.UTC))
                .build();
        server = new TestServer(container).filter(this::outer).filter(filter);
        for (String path : List.of("/payments", "/optional", "/off", "/strict", "/fallback", "/put", "/timed")) {
            server.handle(path, (request, response) -> {
                String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                before.handle(request, response);
                String receipt = IdempotentRequest.find(request).isPresent() ? charge(request, body) : pay(body);
                response.setStatus(201);
                response.setContentType("application/json");
                response.getWriter().write("{\"receipt\":\"" + receipt + "\"}");
            });
        }
        server.handle("/lasting", (request, response) -> transfer.handle(request, response));
        server.handle("/transfers/*", (request, response) -> {
            pay(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            transfer.handle(request, response);
        });
        server.handle("/limited", (request, response) -> transfer.handle(request, response));
        for (String way : List.of("forward", "include")) {
            server.handle("/" + way, (request, response) -> {
                RequestDispatcher strict = request.getRequestDispatcher("/strict");
                if (way.equals("forward")) {
                    strict.forward(request, response);
                } else {
                    strict.include(request, response);
                }
            });
        }
        server.handle("/badly-read", (request, response) -> answer(request, response, badlyRead));
        server.handle("/badly-written", (request, response) -> answer(request, response, badlyWritten));
        server.handle("/badly-planned", (request, response) -> {
            IdempotentRequest idempotent = IdempotentRequest.of(request);
            String unused = idempotent.resultOf(
                    badlyPlanned.execute(idempotent.attempt(), () -> "plan", (transaction, planned) -> {}));
        });
        server.errorPage(
                410,
                "/error-page",
                (request, response) -> response.getWriter().write("page of " + request.getDispatcherType()));
        server.handle(
                "/forwarding",
                (request, response) ->
                        request.getRequestDispatcher("/transfers/forwarded").forward(request, response));
        server.start();
    }

    private static String refuse(String text) {
        throw new IllegalArgumentException("This text is not for this codec.");
    }

    private void answer(
            HttpServletRequest request,
            HttpServletResponse response,
            Operation<InMemoryIdempotencyStore.Transaction, String> operation)
            throws IOException {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        response.getWriter().write(idempotent.resultOf(operation.execute(idempotent.attempt(), transaction -> {
            transaction.onCommit(() -> effects.add(body));
            return body;
        })));
    }

    /** A filter around the one under test, as a service has them for security headers. */
    private void outer(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (((HttpServletRequest) request).getHeader("Outer") != null) {
            ((HttpServletResponse) response).addHeader("Outer", "one");
            ((HttpServletResponse) response).addHeader("Outer", "two");
        }
        try {
            chain.doFilter(request, response);
        } catch (IOException | ServletException | RuntimeException | Error toContainer) {
            StringWriter text = new StringWriter();
            toContainer.printStackTrace(new PrintWriter(text));
            thrown.add(text.toString());
            throw toContainer;
        }
    }

    /** Lets the store refuse every session until {@link FaultyStore#disarm}. */
    void storeIsGone() {
        for (int tries = 0; tries < 100; tries++) {
            store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        }
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

    /** The bytes of an answer as they come, until the server ends the connection. */
    String rawAnswer(String path, String key, String body) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream()
                    .write(("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIdempotency-Key: " + key
                                    + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(RawExchange.untilItEnds(socket.getInputStream()), StandardCharsets.UTF_8);
        }
    }

    /** The key of a transfer as the store has it. */
    static IdempotencyKey transferKey(String value) {
        return IdempotencyKey.inScope("user:1").operation("transfer").value(value);
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
        return store.calls().stream().filter(StoreCall.OPEN::equals).count();
    }

    @Override
    public void close() {
        server.close();
    }
}
