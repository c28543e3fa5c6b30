package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

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
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.servlet.ServletContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Under JAX-RS, which catches exceptions before the filter does. */
class JaxRsTest {

    /** Books payments; declines those of nothing. */
    @Path("/bookings")
    public static final class BookingResource {
        private final Operation<Transaction, String> bookPayment;

        BookingResource(Idempotency<Transaction> idempotency) {
            bookPayment =
                    idempotency.operation("book-payment", ResultCodec.string()).build();
        }

        /** Books a payment. */
        @POST
        public Response create(@Context HttpServletRequest request, String order) {
            IdempotentRequest idempotent = IdempotentRequest.of(request);
            String receipt = idempotent.resultOf(bookPayment.execute(idempotent.attempt(), transaction -> {
                if (order.equals("none")) {
                    throw new IllegalArgumentException("A payment needs an order.");
                }
                return "receipt-of-" + order;
            }));
            return Response.status(201).entity(receipt).build();
        }
    }

    private static TestServer server(ResourceConfig application) {
        return new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous()).build())
                .servlet("/*", new ServletContainer(application))
                .start();
    }

    private static Answer post(TestServer server, String key, String name) throws Exception {
        return RawExchange.post("/bookings")
                .header("Idempotency-Key", key)
                .header("Content-Type", "text/plain")
                .body(name)
                .send(server.port());
    }

    @Test
    void mapperMakesTheProblemOfAnException() throws Exception {
        try (TestServer server = server(new ServiceExample.Bookings(Idempotency.on(new InMemoryIdempotencyStore())))) {
            assertThat(post(server, "k", "friends").status()).isEqualTo(201);
            assertThat(post(server, "k", "friends").replayed()).isTrue();
            Answer reused = post(server, "k", "others");
            assertThat(reused.status()).isEqualTo(422);
            assertThat(reused.problem()).isEqualTo("key-reused");
            assertThat(reused.header("Link")).contains("describedby");
            assertThat(reused.header("Cache-Control")).isEqualTo("no-store");
            post(server, "declined", "none");
            assertThat(post(server, "declined", "none").problem()).isEqualTo("attempt-failed");
        }
    }

    /** Two operations for one request. */
    @Path("/bookings")
    public static final class CreditAndNotify {
        private final Operation<Transaction, String> credit;
        private final Operation<Transaction, String> notify;

        CreditAndNotify(Idempotency<Transaction> idempotency) {
            credit = idempotency.operation("credit", ResultCodec.string()).build();
            notify = idempotency.operation("notify", ResultCodec.string()).build();
        }

        /** Credits, and fails to notify. */
        @POST
        public String create(@Context HttpServletRequest request, String order) {
            IdempotentRequest known = IdempotentRequest.of(request);
            String credited = known.resultOf(credit.execute(known.attempt(), transaction -> "credited"));
            return credited
                    + known.resultOf(notify.execute(known.attempt(), transaction -> {
                        throw new IllegalArgumentException("Not notified.");
                    }));
        }
    }

    @Test
    void mapperDoesNotDenyTheEffectOfAnotherOperation() throws Exception {
        ResourceConfig two = new ResourceConfig()
                .register(new CreditAndNotify(Idempotency.on(new InMemoryIdempotencyStore())))
                .register(IdempotencyExceptionMapper.class);
        try (TestServer server = server(two)) {
            post(server, "k", "order");
            assertThat(post(server, "k", "order").problem()).isEqualTo("outcome-unresolved");
        }
    }

    /** As many applications have one. */
    public static final class OfEverything implements ExceptionMapper<RuntimeException> {
        @Override
        public Response toResponse(RuntimeException exception) {
            return Response.status(400).build();
        }
    }

    /** An application's own. */
    public static final class Own implements ExceptionMapper<IdempotencyException> {
        @Override
        public Response toResponse(IdempotencyException exception) {
            return Response.status(418).build();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 418", "false, 422"})
    void mapperComesBeforeThoseOfItsSupertypesAndAfterAnOwnOneOfItsType(boolean hasOwn, int status) throws Exception {
        ResourceConfig application = new ServiceExample.Bookings(Idempotency.on(new InMemoryIdempotencyStore()))
                .register(OfEverything.class);
        if (hasOwn) {
            application.register(Own.class);
        }
        try (TestServer server = server(application)) {
            post(server, "k", "friends");
            assertThat(post(server, "k", "others").status()).isEqualTo(status);
        }
    }

    @Test
    void withoutTheMapperNoProblemReachesTheClient() throws Exception {
        ResourceConfig bare =
                new ResourceConfig().register(new BookingResource(Idempotency.on(new InMemoryIdempotencyStore())));
        try (TestServer server = server(bare)) {
            post(server, "k", "friends");
            assertThat(post(server, "k", "others").problem()).isNotEqualTo("key-reused");
        }
    }
}
