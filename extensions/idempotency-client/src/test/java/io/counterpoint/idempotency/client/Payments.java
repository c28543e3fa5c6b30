package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.FilterManaged;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.KeyTime;
import io.counterpoint.idempotency.servlet.Meaning;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A service behind the idempotency filter: {@code /payments} is handler-managed, {@code /transfers} is filter-managed. Its
 * effects are counted.
 */
final class Payments implements AutoCloseable {

    final FaultyStore<Transaction> store = FaultyStore.around(new InMemoryIdempotencyStore());

    /** The effects, by the body that asked for them. */
    final List<String> effects = new CopyOnWriteArrayList<>();

    /** The keys of all requests, as they came. */
    final List<String> keys = new CopyOnWriteArrayList<>();

    /** What the work of {@code /payments} does after its effect. */
    volatile Runnable work = () -> {};

    /** How many of the next bookings of {@code /followed-up} fail. */
    final AtomicInteger failingBookings = new AtomicInteger();

    /** What the handler of {@code /payments} answers before it executes its operation; 0 for nothing. */
    volatile int refusal;

    /** How {@code /transfers} answers after its effect. */
    volatile TestServer.Handler transfer = (request, response) -> response.setStatus(201);

    /** Whether the caller is known, and may see stored answers. */
    volatile boolean known = true;

    volatile boolean revoked;

    /** What something between client and filter does with the key. */
    volatile Between between = Between.NOTHING;

    final TestServer server;

    private final Idempotency<Transaction> idempotency = Idempotency.on(store);

    private final Operation<Transaction, String> charge = idempotency
            .operation("charge", ResultCodec.string())
            .describeFailure(thrown -> new Failure("card-declined", "The card was declined."))
            .build();

    private final Operation<Transaction, String> badlyRead = idempotency
            .operation("badly-read", ResultCodec.<String>text(text -> text, Payments::refuse))
            .build();

    private final Operation<Transaction, String> badlyWritten = idempotency
            .operation("badly-written", ResultCodec.<String>text(Payments::refuse, text -> text))
            .build();

    private final PlannedOperation<Transaction, String> badlyPlanned = idempotency
            .operation("badly-planned", ResultCodec.<String>text(Payments::refuse, text -> text))
            .planned()
            .build();

    private final ExternalOperation<String> followedUp = idempotency
            .external("followed-up", ResultCodec.string(), unresolved -> Lookup.notYet())
            .then((transaction, key, result) -> {
                if (failingBookings.getAndDecrement() > 0) {
                    throw new IllegalStateException("the books are closed");
                }
            })
            .build();

    /** What happens to a key on its way. */
    enum Between {
        NOTHING,
        REMOVES_KEY,
        DOUBLES_KEY
    }

    Payments() {
        FilterManaged style = FilterManaged.storedIn(idempotency, "transfer", unresolved -> Optional.empty())
                .means(Meaning.EFFECT, 404)
                .maxStoredBody(1000)
                .replayOnlyIf(request -> !revoked)
                .build();
        FilterManaged limited = FilterManaged.storedIn(idempotency, "limited")
                .unresolvedAtMost(1)
                .build();
        ScopeResolver scope = request -> known ? Optional.of("user:1") : Optional.empty();
        server = new TestServer()
                .filter(this::between)
                .filter(IdempotencyFilter.scopedBy(scope)
                        .route("/payments", RoutePolicy.required().maxRequestBody(1000))
                        .route("/timed", RoutePolicy.required().expireKeys(KeyTime.uuidV7(), Duration.ofHours(24)))
                        .route("/transfers", RoutePolicy.required().responses(style))
                        .route("/limited", RoutePolicy.required().responses(limited))
                        .documentation(URI.create("https://payments.example/idempotency"))
                        .build())
                .handle("/payments", (request, response) -> {
                    if (refusal == 0) {
                        answer(request, response, charge);
                    } else {
                        refuse(response);
                    }
                })
                .handle("/timed", (request, response) -> answer(request, response, charge))
                .handle("/badly-read", (request, response) -> answer(request, response, badlyRead))
                .handle("/badly-written", (request, response) -> answer(request, response, badlyWritten))
                .handle("/badly-planned", (request, response) -> {
                    IdempotentRequest idempotent = IdempotentRequest.of(request);
                    String unused = idempotent.resultOf(
                            badlyPlanned.execute(idempotent.attempt(), () -> "plan", (transaction, planned) -> {}));
                })
                .handle("/followed-up", (request, response) -> {
                    IdempotentRequest idempotent = IdempotentRequest.of(request);
                    String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                    String paid = idempotent.resultOf(followedUp.execute(idempotent.attempt(), key -> {
                        effects.add(body);
                        return "r-" + body;
                    }));
                    response.getWriter().write(paid);
                })
                .handle("/transfers", (request, response) -> {
                    effects.add(new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                    transfer.handle(request, response);
                })
                .handle("/limited", (request, response) -> transfer.handle(request, response))
                .start();
    }

    /** The service's own refusal, as a problem of its own. */
    private void refuse(HttpServletResponse response) throws IOException {
        response.setStatus(refusal);
        response.setContentType("application/problem+json");
        response.getWriter().write("{\"type\":\"https://payments.example/problems#no-funds\",\"title\":\"No funds\"}");
    }

    private static String refuse(String text) {
        throw new IllegalArgumentException("This text is not for this codec.");
    }

    private void between(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest http = (HttpServletRequest) request;
        keys.add(String.valueOf(http.getHeader(CallKey.HEADER)));
        chain.doFilter(between == Between.NOTHING ? request : changed(http), response);
    }

    private HttpServletRequest changed(HttpServletRequest request) {
        return new HttpServletRequestWrapper(request) {
            @Override
            public Enumeration<String> getHeaders(String name) {
                if (!name.equalsIgnoreCase(CallKey.HEADER)) {
                    return super.getHeaders(name);
                }
                String key = getRequest() instanceof HttpServletRequest http ? http.getHeader(name) : "";
                return Collections.enumeration(between == Between.REMOVES_KEY ? List.of() : List.of(key, key));
            }

            @Override
            public String getHeader(String name) {
                return between == Between.REMOVES_KEY && name.equalsIgnoreCase(CallKey.HEADER)
                        ? null
                        : super.getHeader(name);
            }
        };
    }

    private void answer(
            HttpServletRequest request, HttpServletResponse response, Operation<Transaction, String> operation)
            throws IOException {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        String body = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String result = idempotent.resultOf(operation.execute(idempotent.attempt(), transaction -> {
            transaction.onCommit(() -> effects.add(body));
            work.run();
            return "r-" + body;
        }));
        response.setStatus(201);
        response.setContentType("text/plain");
        response.getWriter().write(result);
    }

    /** Lets the store refuse every session until {@link FaultyStore#disarm}. */
    void storeIsGone() {
        for (int sessions = 0; sessions < 100; sessions++) {
            store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
