package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.Client.Answer;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.inject.Provider;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.NameBinding;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.container.Suspended;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import jakarta.ws.rs.core.StreamingOutput;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.MessageBodyWriter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.glassfish.jersey.internal.MapPropertiesDelegate;
import org.glassfish.jersey.server.ApplicationHandler;
import org.glassfish.jersey.server.ContainerRequest;
import org.glassfish.jersey.server.ContainerResponse;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter where JAX-RS is served without servlets: in Jersey alone. */
@Timeout(60)
class ResourceRequestTest {

    private static final String SEEN = "seen";
    private static final String ELSEWHERE = "Elsewhere";

    private final AtomicInteger effects = new AtomicInteger();
    private final Operation<Transaction, String> book = Idempotency.on(new InMemoryIdempotencyStore())
            .operation("book", ResultCodec.string())
            .build();

    /** Lets the filter see requests, and all other filters their answers before. */
    @Priority(Integer.MIN_VALUE)
    static final class Filtering implements ContainerRequestFilter, ContainerResponseFilter {
        private final IdempotencyFilter filter;

        @Context
        private ResourceInfo resource;

        Filtering(IdempotencyFilter filter) {
            this.filter = filter;
        }

        @Override
        public void filter(ContainerRequestContext request) throws IOException {
            request.setProperty(SEEN, ResourceRequest.begin(filter, request, resource));
        }

        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            Runnable end = () -> {
                try {
                    ResourceRequest.end(request, response);
                } catch (IOException impossible) {
                    throw new UncheckedIOException(impossible);
                }
            };
            if (response.getHeaders().containsKey(ELSEWHERE)) {
                inThread(end);
            } else {
                end.run();
            }
        }
    }

    /** Books, with the key of the request. */
    @Path("/bookings")
    public final class Bookings {
        /** Books. */
        @POST
        public Response create(@Context ContainerRequestContext context, String order) {
            IdempotentRequest known = IdempotentRequest.of((HttpServletRequest) context.getProperty(SEEN));
            String booked = known.resultOf(book.execute(known.attempt(), unused -> {
                effects.incrementAndGet();
                if (order.equals("none")) {
                    throw new IllegalArgumentException("A booking needs an order.");
                }
                return order.length() + " " + order.substring(0, Math.min(10, order.length()));
            }));
            return Response.status(201).entity(booked).build();
        }

        /** Does nothing with its key. */
        @POST
        @Path("/unused")
        public String unused(String order) {
            return order;
        }
    }

    /** Makes problems. */
    public static final class Mapper implements ExceptionMapper<IdempotencyException> {
        private final Provider<ContainerRequest> current;

        /** With the request of each exception. */
        @Inject
        public Mapper(Provider<ContainerRequest> current) {
            this.current = current;
        }

        @Override
        public Response toResponse(IdempotencyException exception) {
            return ResourceRequest.problem(
                    Optional.of((HttpServletRequest) current.get().getProperty(SEEN)), exception);
        }
    }

    /** What no body writer can write. */
    record Unwritable(String text) {}

    /** Finds out that it cannot. */
    public static final class Writer implements MessageBodyWriter<Unwritable> {
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
    @interface Conflicting {}

    /** With a priority that lets it be the last of an application's own. */
    @Conflicting
    @Priority(1)
    public static final class Conflict implements ContainerResponseFilter {
        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            response.setStatus(409);
        }
    }

    /** Has an effect in each request, and then meets a key that belongs to another request. */
    @Path("/shapes")
    public final class Shapes {
        private final BlockingQueue<AsyncResponse> waiting = new LinkedBlockingQueue<>();

        private String own(String id) {
            return book.execute(Attempt.inScope("s").key(id).request("r"), unused -> {
                        effects.incrementAndGet();
                        return id;
                    })
                    .orElseThrow();
        }

        private String reused(String id) {
            return book.execute(Attempt.inScope("s").key("taken").request(id), unused -> id)
                    .orElseThrow();
        }

        /** In the resource. */
        @POST
        @Path("/plain")
        public String plain(String body) {
            return own(body) + reused(body);
        }

        /** While its entity is written. */
        @POST
        @Path("/streaming")
        public StreamingOutput streaming(String body) {
            return out -> {
                String unused = own(body) + reused(body);
            };
        }

        /** The same, with the key of the request. */
        @POST
        @Path("/streaming-attempt")
        public StreamingOutput streaming(@Context ContainerRequestContext context, String body) {
            IdempotentRequest known = IdempotentRequest.of((HttpServletRequest) context.getProperty(SEEN));
            return out -> {
                String booked = known.resultOf(book.execute(known.attempt(), unused -> body));
                out.write(booked.getBytes(StandardCharsets.UTF_8));
            };
        }

        /** The body of the request. */
        @POST
        @Path("/echo")
        public StreamingOutput echo(InputStream body) {
            return body::transferTo;
        }

        /** The same. */
        @POST
        @Path("/echo-stream")
        public InputStream echoStream(InputStream body) {
            return body;
        }

        /** Its writer fails. */
        @POST
        @Path("/unwritable")
        public Unwritable unwritable(String body) {
            return new Unwritable(own(body));
        }

        /** A filter makes it an error. */
        @POST
        @Path("/conflict")
        @Conflicting
        public String conflict(String body) {
            return own(body);
        }

        /** Goes on in another thread. */
        @POST
        @Path("/suspended")
        public void suspended(@Suspended AsyncResponse response, String body) {
            inThread(() -> {
                try {
                    response.resume(own(body) + reused(body));
                } catch (IdempotencyException thrown) {
                    response.resume(thrown);
                }
            });
        }

        /** The same. */
        @POST
        @Path("/later")
        public CompletionStage<String> later(String body) {
            return CompletableFuture.supplyAsync(() -> own(body) + reused(body), ResourceRequestTest::inThread);
        }

        /** Without an effect. */
        @POST
        @Path("/refused-later")
        public CompletionStage<String> refusedLater(String body) {
            return CompletableFuture.supplyAsync(() -> reused(body), ResourceRequestTest::inThread);
        }

        /** Ends on another thread than it has begun on. */
        @POST
        @Path("/ended-by-another")
        public void endedByAnother(@Suspended AsyncResponse response) {
            inThread(() -> response.resume("ended"));
        }

        /** Goes on in the thread of a request that has ended. */
        @POST
        @Path("/in-worker")
        public CompletionStage<String> inWorker(String body) {
            return CompletableFuture.supplyAsync(() -> own(body) + reused(body), worker);
        }

        /** Makes its answer in another thread. */
        @POST
        @Path("/elsewhere")
        public Response elsewhere(@Context ContainerRequestContext context, String body) {
            AtomicReference<Response> made = new AtomicReference<>();
            inThread(() -> {
                try {
                    String unused = own(body) + reused(body);
                } catch (IdempotencyException thrown) {
                    HttpServletRequest seen = (HttpServletRequest) context.getProperty(SEEN);
                    made.set(ResourceRequest.problem(Optional.of(seen), thrown));
                }
            });
            return made.get();
        }

        /** Ends in another thread. */
        @POST
        @Path("/ended-elsewhere")
        public Response endedElsewhere(String body) {
            inThread(() -> own(body));
            return Response.status(409).header(ELSEWHERE, "true").build();
        }

        /** Waits for another request. */
        @POST
        @Path("/waiting")
        public void waiting(@Suspended AsyncResponse response) {
            waiting.add(response);
        }

        /** Lets it go on, on this thread. */
        @POST
        @Path("/waking")
        public String waking(String body) throws InterruptedException {
            waiting.take().resume("woken");
            return own(body) + reused(body);
        }
    }

    private final ExecutorService worker = Executors.newSingleThreadExecutor();

    /** Until it has ended. */
    private static void inThread(Runnable task) {
        Thread thread = new Thread(task, "later");
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private ApplicationHandler shapes(IdempotencyFilter filter) {
        Outcome<String> taken = book.execute(Attempt.inScope("s").key("taken").request("seed"), unused -> "seed");
        assertThat(taken).isInstanceOf(Outcome.Executed.class);
        return new ApplicationHandler(new ResourceConfig()
                .register(new Filtering(filter))
                .register(Mapper.class)
                .register(Writer.class)
                .register(Conflict.class)
                .register(new Shapes()));
    }

    private static ContainerResponse send(ApplicationHandler shapes, String path) throws Exception {
        return send(shapes, "/shapes" + path, "ann", Map.of("Idempotency-Key", "k"), "order");
    }

    private static IdempotencyFilter.Builder filter() {
        return IdempotencyFilter.scopedBy(ScopeResolver.principal())
                .route(
                        "/api/bookings",
                        RoutePolicy.required().maxRequestBody(1_000_000).keyLifetime(Duration.ofDays(1)))
                .elsewhere(RoutePolicy.optional());
    }

    private ApplicationHandler application(IdempotencyFilter filter) {
        return new ApplicationHandler(new ResourceConfig()
                .register(new Filtering(filter))
                .register(Mapper.class)
                .register(new Bookings()));
    }

    /** What a request of this user is answered. */
    private static ContainerResponse send(
            ApplicationHandler application,
            String path,
            @Nullable String user,
            Map<String, String> headers,
            String body)
            throws Exception {
        ContainerRequest request = new ContainerRequest(
                URI.create("http://localhost/api/"),
                URI.create("http://localhost/api" + path),
                "POST",
                new User(user),
                new MapPropertiesDelegate(),
                null);
        Map<String, String> all = new TreeMap<>(Map.of("Content-Type", "text/plain"));
        all.putAll(headers);
        all.forEach(request::header);
        request.setEntityStream(new Pieces(body, headers.containsKey("Trailer")));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ContainerResponse response = application.apply(request, written).get();
        response.setEntity(written.toString(StandardCharsets.UTF_8));
        return response;
    }

    private static ContainerResponse send(ApplicationHandler application, String key, String body) throws Exception {
        return send(application, "/bookings", "ann", Map.of("Idempotency-Key", key), body);
    }

    /** A body as Quarkus gives it: no bytes are read from the piece with the trailers. */
    private static final class Pieces extends ByteArrayInputStream {
        private boolean trailers;

        Pieces(String body, boolean trailers) {
            super(body.getBytes(StandardCharsets.UTF_8));
            this.trailers = trailers;
        }

        @Override
        public synchronized int read(byte[] target, int offset, int count) {
            int read = super.read(target, offset, count);
            if (read < 0 && trailers) {
                trailers = false;
                return 0;
            }
            return read;
        }
    }

    private record User(@Nullable String name) implements SecurityContext {
        @Override
        public @Nullable Principal getUserPrincipal() {
            return name == null ? null : () -> name;
        }

        @Override
        public boolean isUserInRole(String role) {
            return false;
        }

        @Override
        public boolean isSecure() {
            return false;
        }

        @Override
        public @Nullable String getAuthenticationScheme() {
            return null;
        }
    }

    private static String problemOf(ContainerResponse response) {
        assertThat(response.getHeaderString("Content-Type")).isEqualTo("application/problem+json");
        assertThat(response.getHeaderString("Cache-Control")).isEqualTo("no-store");
        return response.getEntity().toString().replaceAll(".*\"type\":\"[^\"]*#([^\"]*)\".*", "$1");
    }

    @Test
    void retryIsReplayedAndAnotherRequestWithItsKeyIsRefused() throws Exception {
        ApplicationHandler application = application(filter().build());
        ContainerResponse first = send(application, "\"k\"", "order");
        assertThat(first.getStatus()).isEqualTo(201);
        assertThat(first.getEntity()).isEqualTo("5 order");
        assertThat(first.getHeaderString("Idempotent-Replayed")).isNull();
        assertThat(first.getHeaderString("Idempotency-Key-Lifetime")).isEqualTo("86400");
        ContainerResponse retry = send(application, "k", "order");
        assertThat(retry.getEntity()).isEqualTo("5 order");
        assertThat(retry.getHeaderString("Idempotent-Replayed")).isEqualTo("true");
        assertThat(problemOf(send(application, "k", "another"))).isEqualTo("key-reused");
        assertThat(effects).hasValue(1);
    }

    @Test
    void aKeyBelongsToThePrincipal() throws Exception {
        ApplicationHandler application = application(filter().build());
        Map<String, String> key = Map.of("Idempotency-Key", "k");
        assertThat(send(application, "/bookings", "ann", key, "order").getStatus())
                .isEqualTo(201);
        assertThat(send(application, "/bookings", "bob", key, "another").getStatus())
                .isEqualTo(201);
        ContainerResponse nobody = send(application, "/bookings", null, key, "order");
        assertThat(nobody.getStatus()).isEqualTo(401);
        assertThat(problemOf(nobody)).isEqualTo("caller-unknown");
        assertThat(effects).hasValue(2);
    }

    /** JAX-RS finds the same resource for all of these. */
    @ParameterizedTest
    @ValueSource(strings = {"/bookings", "/bookings/", "/bookings;v=1"})
    void requestWithoutTheRequiredKeyIsRefused(String path) throws Exception {
        ContainerResponse refused = send(application(filter().build()), path, "ann", Map.of(), "order");
        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(problemOf(refused)).isEqualTo("key-missing");
        assertThat(effects).hasValue(0);
    }

    @Test
    void bodyWithTrailersReachesTheResource() throws Exception {
        Map<String, String> headers = Map.of("Idempotency-Key", "k", "Trailer", "Digest");
        ContainerResponse answer = send(application(filter().build()), "/bookings", "ann", headers, "order");
        assertThat(answer.getEntity()).isEqualTo("5 order");
    }

    @Test
    void bodyThatIsKeptInAFileReachesTheResource() throws Exception {
        String large = "x".repeat(900_000);
        assertThat(send(application(filter().build()), "k", large).getEntity()).isEqualTo("900000 xxxxxxxxxx");
        ContainerResponse refused = send(application(filter().build()), "k", large + large);
        assertThat(refused.getStatus()).isEqualTo(413);
        assertThat(effects).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "multipart/form-data; boundary=b"})
    void formIsRefusedBeforeItsResource(String type) throws Exception {
        ApplicationHandler application = application(filter().build());
        Map<String, String> form = Map.of("Idempotency-Key", "k", "Content-Type", type);
        ContainerResponse refused = send(application, "/bookings", "ann", form, "a=b");
        assertThat(refused.getStatus()).isEqualTo(400);
        assertThat(refused.getEntity().toString()).contains("A form with a key");
        assertThat(problemOf(refused)).isEqualTo("request-malformed");
        assertThat(send(application, "/bookings/unused", "ann", Map.of("Content-Type", type), "a=b")
                        .getEntity())
                .isEqualTo("a=b");
        assertThat(effects).hasValue(0);
    }

    /** As HTTP/2 has names. */
    @Test
    void headerMayHaveALowerCaseName() throws Exception {
        ApplicationHandler application = application(filter().build());
        Map<String, String> key = Map.of("idempotency-key", "k");
        assertThat(send(application, "/bookings", "ann", key, "order").getStatus())
                .isEqualTo(201);
        assertThat(send(application, "k", "order").getHeaderString("Idempotent-Replayed"))
                .isEqualTo("true");
    }

    @Test
    void routeThatStoresItsResponsesIsRefused() {
        RoutePolicy stores = RoutePolicy.required()
                .responses(FilterManaged.storedIn(Idempotency.on(new InMemoryIdempotencyStore()), "responses")
                        .build());
        ApplicationHandler application = application(IdempotencyFilter.scopedBy(ScopeResolver.principal())
                .elsewhere(stores)
                .build());
        assertThatThrownBy(() -> send(application, "k", "order"))
                .hasStackTraceContaining("can store its responses only in a servlet container");
        assertThat(effects).hasValue(0);
    }

    @Test
    void failureOfTheWorkIsItsProblemAtARetry() throws Exception {
        ApplicationHandler application = application(filter().build());
        assertThatThrownBy(() -> send(application, "k", "none")).hasStackTraceContaining("A booking needs an order.");
        ContainerResponse retry = send(application, "k", "none");
        assertThat(retry.getStatus()).isEqualTo(422);
        assertThat(problemOf(retry)).isEqualTo("attempt-failed");
        assertThat(effects).hasValue(1);
    }

    @Test
    void successWithAnUnusedKeyFailsWhereItIsToFail() {
        ApplicationHandler application =
                application(filter().unusedKey(UnusedKey.FAIL).build());
        Map<String, String> key = Map.of("Idempotency-Key", "k");
        assertThatThrownBy(() -> send(application, "/bookings/unused", "ann", key, "order"))
                .hasStackTraceContaining(UnusedKeyException.class.getName());
    }

    /** Half of the nodes have servlets. */
    @Test
    void servletFilterKnowsWhatThisHasClaimed() throws Exception {
        assertThat(send(application(filter().build()), "k", "order").getStatus())
                .isEqualTo(201);
        IdempotencyFilter sameUser =
                IdempotencyFilter.scopedBy(request -> Optional.of("user:ann")).build();
        ResourceConfig servlets = new ResourceConfig().register(new OfServlets());
        try (TestServer server = new TestServer()
                .filter(sameUser)
                .servlet("/api/*", new ServletContainer(servlets))
                .start()) {
            Answer retry = RawExchange.post("/api/bookings")
                    .header("Idempotency-Key", "k")
                    .header("Content-Type", "text/plain")
                    .body("order")
                    .send(server.port());
            assertThat(retry.body()).isEqualTo("5 order");
            assertThat(retry.replayed()).isTrue();
        }
        assertThat(effects).hasValue(1);
    }

    /** The same resource behind the servlet filter. */
    @Path("/bookings")
    public final class OfServlets {
        /** Books. */
        @POST
        public String create(@Context HttpServletRequest request, String order) {
            IdempotentRequest known = IdempotentRequest.of(request);
            return known.resultOf(book.execute(known.attempt(), unused -> "another effect"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain", "/streaming", "/suspended", "/later", "/elsewhere"})
    void noProblemDeniesTheEffectOfAnotherCallWhereverItWasMade(String path) throws Exception {
        ContainerResponse answer = send(shapes(filter().build()), path);
        assertThat(effects).hasValue(1);
        assertThat(problemOf(answer)).isEqualTo("outcome-unresolved");
    }

    /** No other call was made meanwhile. */
    @Test
    void refusalOfAResourceThatEndsLaterIsToldAsItIs() throws Exception {
        ContainerResponse answer = send(shapes(filter().build()), "/refused-later");
        assertThat(problemOf(answer)).isEqualTo("key-reused");
    }

    /** The thread stays bound to the first request, which ends on another one. */
    @Test
    void callsOfAThreadWhoseRequestHasEndedCountForTheOthers() throws Exception {
        ApplicationHandler application = shapes(filter().build());
        ContainerResponse first =
                worker.submit(() -> send(application, "/ended-by-another")).get();
        assertThat(first.getEntity()).isEqualTo("ended");
        assertThat(problemOf(send(application, "/in-worker"))).isEqualTo("outcome-unresolved");
        worker.shutdown();
    }

    @Test
    void requestThatLetsAnotherOneGoOnCountsItsOwnCalls() throws Exception {
        ApplicationHandler application = shapes(filter().build());
        AtomicReference<ContainerResponse> waiting = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try {
                waiting.set(send(application, "/waiting"));
            } catch (Exception thrown) {
                throw new IllegalStateException(thrown);
            }
        });
        waiter.start();
        assertThat(problemOf(send(application, "/waking"))).isEqualTo("outcome-unresolved");
        waiter.join();
        assertThat(waiting.get().getEntity()).isEqualTo("woken");
        assertThat(effects).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/unwritable", "/conflict", "/ended-elsewhere"})
    void errorThatIsMadeOfAnAnswerIsMarked(String path) throws Exception {
        ContainerResponse answer = send(shapes(filter().build()), path);
        assertThat(effects).hasValue(1);
        assertThat(answer.getStatus()).isBetween(400, 499);
        assertThat(answer.getHeaderString("Idempotency-May-Have-Effect")).isEqualTo("true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/shapes/echo", "/shapes/echo-stream"})
    void bodyStaysUntilTheEntityIsWritten(String path) throws Exception {
        String large = "x".repeat(300_000);
        Map<String, String> key = Map.of("Idempotency-Key", "k");
        assertThat(send(shapes(filter().build()), path, "ann", key, large).getEntity())
                .isEqualTo(large);
    }

    @Test
    void keyThatIsUsedWhileTheEntityIsWrittenIsUsed() throws Exception {
        ApplicationHandler application =
                shapes(filter().unusedKey(UnusedKey.FAIL).build());
        assertThat(send(application, "/streaming-attempt").getEntity()).isEqualTo("order");
        assertThat(send(application, "/streaming-attempt").getEntity()).isEqualTo("order");
    }
}
