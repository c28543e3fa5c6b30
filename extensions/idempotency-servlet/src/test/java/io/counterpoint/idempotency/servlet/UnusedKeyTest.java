package io.counterpoint.idempotency.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A key that no handler has used protects nothing, and that is said. */
class UnusedKeyTest {

    private static final Logger LOG = Logger.getLogger(IdempotencyFilter.class.getName());

    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
            Idempotency.on(new InMemoryIdempotencyStore());
    private final Operation<InMemoryIdempotencyStore.Transaction, String> pay =
            idempotency.operation("pay", ResultCodec.string()).build();

    private final Warnings warnings = new Warnings();

    /** What was warned of. */
    private static final class Warnings extends Handler {
        private final List<String> told = new CopyOnWriteArrayList<>();
        private final CountDownLatch first = new CountDownLatch(1);

        @Override
        public void publish(LogRecord event) {
            if (event.getLevel().equals(Level.WARNING)) {
                told.add(event.getMessage());
                first.countDown();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void listen() {
        LOG.addHandler(warnings);
        LOG.setUseParentHandlers(false);
    }

    @AfterEach
    void stopListening() {
        LOG.removeHandler(warnings);
        LOG.setUseParentHandlers(true);
    }

    private TestServer server() {
        return new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .route("/filter-managed/*", filterManaged())
                        .elsewhere(RoutePolicy.optional())
                        .build())
                .handle("/forgets/*", (request, response) -> response.setStatus(201))
                .handle("/refuses", (request, response) -> response.sendError(409))
                .handle("/looks", (request, response) -> IdempotentRequest.of(request))
                .handle("/later", (request, response) -> {
                    AsyncContext context = request.startAsync();
                    new Thread(context::complete).start();
                })
                .handle("/uses", this::use)
                .handle(
                        "/forwards",
                        (request, response) ->
                                request.getRequestDispatcher("/uses").forward(request, response))
                .handle("/filter-managed/*", (request, response) -> response.setStatus(201));
    }

    private RoutePolicy filterManaged() {
        return RoutePolicy.required()
                .responses(FilterManaged.storedIn(idempotency, "filter-managed").build());
    }

    private void use(HttpServletRequest request, HttpServletResponse response) {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        String unused = idempotent.resultOf(pay.execute(idempotent.attempt(), transaction -> "paid"));
    }

    private static Answer post(TestServer server, String path, String key) throws Exception {
        return Client.JDK.send(
                Request.to(server.uri(path)).header("Idempotency-Key", key).body("a"));
    }

    @Test
    void handlerThatForgetsItsAttemptIsToldOncePerRoute() throws Exception {
        try (TestServer server = server().start()) {
            for (int request = 1; request <= 3; request++) {
                assertThat(post(server, "/forgets/s3cret-" + request, "\"s3cret-key\"")
                                .status())
                        .isEqualTo(201);
            }
            assertThat(warnings.told)
                    .singleElement()
                    .asString()
                    .contains("POST /forgets/*", "IdempotentRequest", "protects nothing")
                    .doesNotContain("s3cret");

            assertThat(post(server, "/looks", "\"k\"").status()).isEqualTo(200);
            assertThat(warnings.told).hasSize(2);
        }
    }

    @Test
    void eachRouteBehindOneServletIsToldOfOnce() throws Exception {
        try (TestServer server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .route("/orders", RoutePolicy.required())
                        .route("/payments/*", RoutePolicy.required())
                        .build())
                .handle("/*", (request, response) -> response.setStatus(201))
                .start()) {
            assertThat(post(server, "/orders", "\"k\"").status()).isEqualTo(201);
            assertThat(post(server, "/payments/s3cret-1", "\"k\"").status()).isEqualTo(201);
            assertThat(post(server, "/payments/s3cret-2", "\"k\"").status()).isEqualTo(201);
        }
        assertThat(warnings.told)
                .satisfiesExactly(
                        orders -> assertThat(orders).startsWith("POST /orders (handled by /*): "),
                        payments -> assertThat(payments).startsWith("POST /payments/* (handled by /*): "));
    }

    @Test
    void asynchronousHandlerThatForgetsItsAttemptIsTold() throws Exception {
        try (TestServer server = server().start()) {
            assertThat(post(server, "/later", "\"k\"").status()).isEqualTo(200);

            assertThat(warnings.first.await(60, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(warnings.told).singleElement().asString().contains("POST /later");
    }

    @Test
    void handlerThatUsesItsAttemptOrRefusesOrIsStoredByTheFilterIsNotTold() throws Exception {
        try (TestServer server = server().start()) {
            assertThat(post(server, "/uses", "\"k-1\"").status()).isEqualTo(200);
            assertThat(post(server, "/forwards", "\"k-2\"").status()).isEqualTo(200);
            assertThat(post(server, "/filter-managed/1", "\"k-3\"").status()).isEqualTo(201);
            assertThat(post(server, "/refuses", "\"k-4\"").status()).isEqualTo(409);
            assertThat(Client.JDK
                            .send(Request.to(server.uri("/forgets/1")).body("a"))
                            .status())
                    .isEqualTo(201);
        }
        assertThat(warnings.told).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void noSuccessOfAHandlerThatForgetsItsAttemptIsSentWhereItHasToFail(Container.Kind container) throws Exception {
        try (TestServer server = new TestServer(container)
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .unusedKey(UnusedKey.FAIL)
                        .build())
                .handle("/nothing", (request, response) -> response.setStatus(204))
                .handle("/stream", (request, response) -> {
                    response.getOutputStream().write('a');
                    response.getOutputStream().flush();
                })
                .handle("/writer", (request, response) -> {
                    response.getWriter().write("a");
                    response.getWriter().flush();
                })
                .handle("/flushed", (request, response) -> response.flushBuffer())
                .handle("/redirects", (request, response) -> response.sendRedirect("/elsewhere"))
                .handle(
                        "/long",
                        (request, response) -> response.getOutputStream().write(new byte[100_000]))
                .start()) {
            for (String path : List.of("/nothing", "/stream", "/writer", "/flushed", "/redirects", "/long")) {
                assertThat(post(server, path, "\"k\"").status()).as(path).isEqualTo(500);
            }
        }
        assertThat(warnings.told).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void handlerThatUsesItsAttemptOrRefusesIsAnsweredWhereOthersFail(Container.Kind container) throws Exception {
        try (TestServer server = new TestServer(container)
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .unusedKey(UnusedKey.FAIL)
                        .build())
                .handle("/uses", (request, response) -> {
                    response.setCharacterEncoding("UTF-8");
                    PrintWriter writer = response.getWriter();
                    use(request, response);
                    writer.write("\u00e9 paid");
                })
                .handle("/refuses", (request, response) -> {
                    response.setStatus(404);
                    response.getOutputStream().write("unknown".getBytes(UTF_8));
                })
                .handle("/outstanding", (request, response) -> {
                    throw new NotStartedException(
                            IdempotencyException.Reason.STORE_UNREACHABLE,
                            pay.keyOf(IdempotentRequest.of(request).attempt()),
                            null);
                })
                .start()) {
            assertThat(post(server, "/uses", "\"k-1\"").body()).isEqualTo("\u00e9 paid");
            assertThat(post(server, "/refuses", "\"k-2\"").body()).isEqualTo("unknown");
            assertThat(post(server, "/outstanding", "\"k-3\"").status()).isEqualTo(503);
        }
    }
}
