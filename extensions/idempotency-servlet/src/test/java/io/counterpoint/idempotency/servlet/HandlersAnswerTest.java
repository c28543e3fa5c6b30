package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import jakarta.servlet.http.HttpServletResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter-managed handler's answer is what it would be without the filter, and so is its replay. */
@Timeout(60)
@ParameterizedClass
@EnumSource(Container.Kind.class)
class HandlersAnswerTest {

    private final Payments payments;

    HandlersAnswerTest(Container.Kind container) {
        payments = new Payments(container);
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    private Answer post(String path) throws Exception {
        return post(path, "https://shop.example");
    }

    private Answer post(String path, String origin) throws Exception {
        Request request = payments.request(path, "a").key("k").header("Origin", origin);
        return Client.JDK.send(request);
    }

    // ---- a handler that fails when its answer is on its way ------------------------------------------------------

    @Test
    void statusOfAnExceptionHandlerThatComesTooLateProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            response.getOutputStream().write(new byte[2000]);
            response.flushBuffer();
            // As an exception handler does it, which does not look whether it is too late.
            response.setStatus(500);
        };
        assertThat(post("/transfers/1").status()).isEqualTo(200);
        assertThat(post("/transfers/1").problem()).isEqualTo("request-outstanding");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void errorThatComesTooLateProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            response.getOutputStream().write(new byte[2000]);
            response.flushBuffer();
            sendErrorThatComesTooLate(response);
        };
        assertThat(post("/transfers/1").status()).isEqualTo(200);
        assertThat(post("/transfers/1").problem()).isEqualTo("request-outstanding");
    }

    private static void sendErrorThatComesTooLate(HttpServletResponse response) throws java.io.IOException {
        try {
            response.sendError(500);
        } catch (IllegalStateException committed) {
            // The exception handler can do no more.
        }
    }

    @Test
    void statusOfAnExceptionHandlerThatComesTooLateInAnAsynchronousAnswerProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            var context = request.startAsync();
            response.getOutputStream().write(new byte[10]);
            response.flushBuffer();
            ((HttpServletResponse) context.getResponse()).setStatus(500);
            context.complete();
        };
        assertThat(post("/transfers/1").status()).isEqualTo(200);
        assertThat(post("/transfers/1").problem()).isEqualTo("request-outstanding");
    }

    // ---- forwards, includes --------------------------------------------------------------------------------------

    @Test
    void answerOfAForwardIsSentAndReplayed() throws Exception {
        Answer first = post("/forwarding");
        Answer replay = post("/forwarding");

        assertThat(first.body()).isEqualTo("{\"transfer\":1}");
        assertThat(replay.replayed()).isTrue();
        assertThat(replay.body()).isEqualTo(first.body());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingOfWhatWasWrittenBeforeAForwardOrAfterItIsSent(boolean byTheContext) throws Exception {
        payments.transfer = (request, response) -> {
            if (request.getAttribute("forwarded") != null) {
                response.getWriter().write("target");
                return;
            }
            response.getWriter().write("before");
            request.setAttribute("forwarded", true);
            (byTheContext
                            ? request.getServletContext().getRequestDispatcher("/transfers/forwarded")
                            : request.getRequestDispatcher("/transfers/forwarded"))
                    .forward(request, response);
            response.getWriter().write("after");
        };
        assertThat(post("/transfers/1").body()).isEqualTo("target");
        assertThat(post("/transfers/1").body()).isEqualTo("target");
    }

    @Test
    void includedServletAddsContentAndNothingElse() throws Exception {
        payments.transfer = (request, response) -> {
            if (request.getAttribute("included") != null) {
                response.setStatus(202);
                response.setHeader("Location", "/elsewhere");
                response.getWriter().write("included");
                response.flushBuffer();
                return;
            }
            response.setContentType("text/plain");
            response.getWriter().write("before, ");
            request.setAttribute("included", true);
            request.getRequestDispatcher("/transfers/included").include(request, response);
            response.getWriter().write(", after");
        };
        for (Answer answer : List.of(post("/transfers/1"), post("/transfers/1"))) {
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("before, included, after");
            assertThat(answer.header("Location")).isEmpty();
        }
    }

    // ---- charsets ------------------------------------------------------------------------------------------------

    private void charsetIsThatOfTheBytes(TestServer.Handler handler, String text) throws Exception {
        payments.transfer = handler;
        Answer first = post("/transfers/1");
        Answer replay = post("/transfers/1");
        assertThat(replay.replayed()).isTrue();
        assertThat(replay.header("Content-Type")).isEqualTo(first.header("Content-Type"));
        assertThat(List.of(first.body(), replay.body())).containsOnly(text);
    }

    @Test
    void charsetThatIsSetAfterTheWriterIsIgnored() throws Exception {
        charsetIsThatOfTheBytes(
                (request, response) -> {
                    response.setContentType("text/plain;charset=UTF-16BE");
                    var writer = response.getWriter();
                    response.setCharacterEncoding("UTF-8");
                    writer.write("Grüße");
                },
                "Grüße");
    }

    @Test
    void charsetOfATypeThatIsSetAfterTheWriterIsIgnored() throws Exception {
        charsetIsThatOfTheBytes(
                (request, response) -> {
                    response.setCharacterEncoding("ISO-8859-1");
                    var writer = response.getWriter();
                    response.setContentType("application/xml");
                    writer.write("<straße/>");
                },
                "<straße/>");
    }

    @Test
    void partOfAContentIsReplayedWithItsRange() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(206);
            response.setHeader("Content-Range", "bytes 0-3/10");
            response.getOutputStream().print("part");
        };
        assertThat(post("/transfers/1").status()).isEqualTo(206);
        Answer replay = post("/transfers/1");

        assertThat(replay.replayed()).isTrue();
        assertThat(replay.header("Content-Range")).isEqualTo("bytes 0-3/10");
    }

    @Test
    void mediaTypeWithoutACharsetHasAWriter() throws Exception {
        payments.transfer = (request, response) -> {
            response.setContentType("image/svg+xml");
            response.getWriter().write("<svg/>");
        };
        assertThat(post("/transfers/1").body()).isEqualTo("<svg/>");
        assertThat(post("/transfers/1").body()).isEqualTo("<svg/>");
    }

    // ---- handlers that know that nothing happened ----------------------------------------------------------------

    @Test
    void handlerThatKnowsThatNothingHappenedReleasesTheKeyWhateverItAnswers() throws Exception {
        for (int status : List.of(503, 200)) {
            payments.transfer = (request, response) -> {
                IdempotentRequest.of(request).nothingHappened();
                response.setStatus(status);
            };
            assertThat(post("/transfers/1").status()).isEqualTo(status);
        }
        payments.transfer = (request, response) -> response.setStatus(201);
        Answer retry = post("/transfers/1");

        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isFalse();
        assertThat(post("/transfers/1").replayed()).isTrue();
    }

    @Test
    void handlerThatThrowsAfterItsRollbackReleasesTheKey() throws Exception {
        payments.transfer = (request, response) -> {
            IdempotentRequest.of(request).nothingHappened();
            throw new IllegalStateException("rolled back");
        };
        assertThat(post("/transfers/1").status()).isEqualTo(500);
        payments.transfer = (request, response) -> response.setStatus(201);

        assertThat(post("/transfers/1").status()).isEqualTo(201);
    }

    @Test
    void asynchronousHandlerReleasesTheKeyToo() throws Exception {
        payments.transfer = (request, response) -> {
            var context = request.startAsync();
            IdempotentRequest.of(request).nothingHappened();
            response.setStatus(500);
            context.complete();
        };
        assertThat(post("/transfers/1").status()).isEqualTo(500);
        payments.transfer = (request, response) -> response.setStatus(201);
        Answer retry;
        do {
            retry = post("/transfers/1");
        } while (retry.problem().equals("request-outstanding"));

        assertThat(retry.status()).isEqualTo(201);
    }

    @Test
    void statusMayAlwaysMeanThatNothingHappened() {
        StatusMeanings meanings = StatusMeanings.BY_CLASS.with(Meaning.NO_EFFECT, 503);

        assertThatThrownBy(() -> meanings.requireEffect(503, 503, new StatusMeanings.Handled(0, true)))
                .isInstanceOfSatisfying(
                        Ended.class, ended -> assertThat(ended.meaning()).isEqualTo(Meaning.NO_EFFECT));
    }

    @Test
    void handlerManagedRouteLeavesThatToItsOperation() throws Exception {
        List<Throwable> thrown = new CopyOnWriteArrayList<>();
        payments.before = (request, response) ->
                thrown.add(catchThrowable(() -> IdempotentRequest.of(request).nothingHappened()));
        assertThat(post("/payments").status()).isEqualTo(201);

        assertThat(thrown).singleElement().isInstanceOf(IllegalStateException.class);
    }

    // ---- browsers ------------------------------------------------------------------------------------------------

    @Test
    void answerForAnOriginIsReplayedToThatOriginAndNoOther() throws Exception {
        payments.transfer = (request, response) -> {
            response.setHeader("Access-Control-Allow-Origin", request.getHeader("Origin"));
            response.setHeader("Access-Control-Allow-Credentials", "true");
            response.addHeader("Access-Control-Expose-Headers", "Location");
            response.setHeader("Location", "/transfers/1");
        };
        Answer first = post("/transfers/1");
        Answer same = post("/transfers/1");
        Answer other = post("/transfers/1", "https://other.example");

        assertThat(same.header("Access-Control-Allow-Origin"))
                .isEqualTo(first.header("Access-Control-Allow-Origin"))
                .isEqualTo("https://shop.example");
        assertThat(same.header("Access-Control-Allow-Credentials")).isEqualTo("true");
        assertThat(same.header("Access-Control-Expose-Headers"))
                .isEqualTo(first.header("Access-Control-Expose-Headers"))
                .isEqualTo(IdempotencyFilter.EXPOSED + ", Location");
        assertThat(other.replayed()).isTrue();
        assertThat(other.header("Access-Control-Allow-Origin")).isEmpty();
        assertThat(other.header("Access-Control-Allow-Credentials")).isEmpty();
        assertThat(List.of(same.header("Vary"), other.header("Vary"))).containsOnly("Origin");
    }

    @Test
    void answerForAllOriginsIsReplayedToAll() throws Exception {
        payments.transfer = (request, response) -> response.setHeader("Access-Control-Allow-Origin", "*");
        assertThat(post("/transfers/1").replayed()).isFalse();
        Answer other = post("/transfers/1", "https://other.example");

        assertThat(other.header("Access-Control-Allow-Origin")).isEqualTo("*");
        assertThat(other.header("Vary")).isEmpty();
    }

    // ---- how it is stored ----------------------------------------------------------------------------------------

    /** As one that encrypts does. */
    @Test
    void responseIsStoredAsTheCodecOfItsServiceWritesIt() throws Exception {
        InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
        FilterManaged style = FilterManaged.storedIn(
                        Idempotency.on(store),
                        "secret",
                        unresolved -> Optional.empty(),
                        codec -> ResultCodec.of(
                                response -> backwards(codec.encode(response)), bytes -> codec.decode(backwards(bytes))))
                .build();
        try (TestServer server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(RoutePolicy.required().responses(style))
                        .build())
                .handle("/*", (request, response) -> response.getWriter().write("card 4111"))
                .start()) {
            RawExchange exchange = RawExchange.post("/").header("Idempotency-Key", "k");
            assertThat(exchange.send(server.port()).body()).isEqualTo("card 4111");
            assertThat(exchange.send(server.port()).replayed()).isTrue();
            assertThat(exchange.send(server.port()).body()).isEqualTo("card 4111");
        }
        byte[] stored = store.read(
                        IdempotencyKey.inScope("anonymous").operation("secret").value("k"))
                .map(IdempotencyRecord.Succeeded.class::cast)
                .flatMap(IdempotencyRecord.Succeeded::result)
                .orElseThrow()
                .toBytes();
        assertThat(new String(stored, StandardCharsets.UTF_8))
                .contains("1114 drac")
                .doesNotContain("card");
    }

    private static byte[] backwards(byte[] bytes) {
        byte[] other = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            other[bytes.length - 1 - i] = bytes[i];
        }
        return other;
    }
}
