package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.Client.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.SecurityContext;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
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

    private final AtomicInteger effects = new AtomicInteger();
    private final Operation<Transaction, String> book = Idempotency.on(new InMemoryIdempotencyStore())
            .operation("book", ResultCodec.string())
            .build();

    /** Lets the filter see requests. */
    static final class Filtering implements ContainerRequestFilter, ContainerResponseFilter {
        private final IdempotencyFilter filter;

        Filtering(IdempotencyFilter filter) {
            this.filter = filter;
        }

        @Override
        public void filter(ContainerRequestContext request) throws IOException {
            request.setProperty(SEEN, ResourceRequest.begin(filter, request));
        }

        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) throws IOException {
            ResourceRequest.end(request, response);
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
        @Context
        private ContainerRequestContext context;

        @Override
        public Response toResponse(IdempotencyException exception) {
            return ResourceRequest.problem(Optional.of((HttpServletRequest) context.getProperty(SEEN)), exception);
        }
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
        request.setEntityStream(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ContainerResponse response = application.apply(request, written).get();
        response.setEntity(written.toString(StandardCharsets.UTF_8));
        return response;
    }

    private static ContainerResponse send(ApplicationHandler application, String key, String body) throws Exception {
        return send(application, "/bookings", "ann", Map.of("Idempotency-Key", key), body);
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
        assertThatThrownBy(() -> send(application, "k", "order")).hasStackTraceContaining("stores its responses");
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
}
