package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.http.ProblemType;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/** Answers that are none of the filter's: a page behind a redirect, and documents of any length. */
class AnswersOfOthersTest {

    /** Its first bytes alone would be a problem of the filter's. */
    private static final String LONG = "{\"type\":\"x#key-reused\",\"detail\":\"long\"}" + " ".repeat(1_000_000);

    private final List<String> keys = new CopyOnWriteArrayList<>();
    private final TestServer server = new TestServer()
            .handle("/moved", (request, response) -> {
                keys.add(request.getHeader(CallKey.HEADER));
                response.sendRedirect("/login");
            })
            .handle("/login", (request, response) -> response.getWriter().write("Log in, please."))
            .handle("/long", (request, response) -> {
                keys.add(request.getHeader(CallKey.HEADER));
                response.setStatus(Integer.parseInt(request.getQueryString()));
                response.setContentType("application/problem+json");
                response.getWriter().write(LONG);
            })
            .handle("/compressed", (request, response) -> {
                response.setStatus(403);
                response.setContentType("application/problem+json");
                response.setHeader("Content-Encoding", "gzip");
                try (OutputStream body = new GZIPOutputStream(response.getOutputStream())) {
                    body.write("{\"type\":\"x#replay-refused\"}".getBytes(StandardCharsets.UTF_8));
                }
            })
            .start();

    @AfterEach
    void stop() {
        server.close();
    }

    private static HttpClient following() {
        return HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private String post(ClientHttpRequestFactory factory, IdempotentCallInterceptor interceptor, String path) {
        return String.valueOf(RestClient.builder()
                .requestFactory(factory)
                .requestInterceptor(interceptor)
                .build()
                .post()
                .uri(uri(path))
                .body("coffee")
                .retrieve()
                .body(String.class));
    }

    private <T> CallResult<HttpResponse<T>> send(String path, BodyHandler<T> handler) {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .POST(BodyPublishers.ofString("coffee"))
                .build();
        return IdempotentHttpClient.over(
                        HttpClient.newHttpClient(),
                        CallSettings.builder().tries(1).build())
                .send(request, handler);
    }

    @Test
    void pageBehindARedirectIsNoResultOfTheCall() {
        IdempotentCallInterceptor interceptor = IdempotentCallInterceptor.with(CallSettings.defaults());

        IdempotentCallException unanswered = catchThrowableOfType(
                IdempotentCallException.class,
                () -> post(new JdkClientHttpRequestFactory(following()), interceptor, "/moved"));

        assertThat(unanswered.result())
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.failure())
                                .hasMessageContaining("requestFactory(…)")
                                .hasMessageContaining("assumingNoRedirects()"));
        assertThat(keys).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IdempotentCallInterceptor.requestFactory(following()))
                .withMessageContaining("followRedirects(NEVER)");
    }

    @Test
    void redirectIsSeenWhereItIsNotFollowed() {
        IdempotentCallInterceptor interceptor = IdempotentCallInterceptor.with(CallSettings.defaults());

        IdempotentCallException unanswered = catchThrowableOfType(
                IdempotentCallException.class,
                () -> post(
                        IdempotentCallInterceptor.requestFactory(HttpClient.newHttpClient()), interceptor, "/moved"));

        assertThat(unanswered.result())
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.problem().status()).isEqualTo(302));
    }

    @Test
    void otherFactoryIsTrustedWhereTheUserVouchesForIt() {
        IdempotentCallInterceptor interceptor =
                IdempotentCallInterceptor.with(CallSettings.defaults()).assumingNoRedirects();

        assertThat(post(new JdkClientHttpRequestFactory(), interceptor, "/login"))
                .isEqualTo("Log in, please.");
    }

    /** It is no problem of the filter's, whatever it calls itself. */
    @Test
    void longDocumentIsTheCallersToRead() throws Exception {
        assertThat(send("/long?422", BodyHandlers.ofString()))
                .isInstanceOfSatisfying(
                        CallResult.Rejected.class,
                        rejected -> assertThat(((HttpResponse<?>) rejected.response()).body())
                                .isEqualTo(LONG));
        CallResult<HttpResponse<InputStream>> streamed = send("/long?422", BodyHandlers.ofInputStream());
        assertThat(streamed).isInstanceOf(CallResult.Rejected.class);
        try (InputStream body = ((CallResult.Rejected<HttpResponse<InputStream>>) streamed)
                .response()
                .body()) {
            assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(LONG);
        }
        HttpClientErrorException refused = catchThrowableOfType(
                HttpClientErrorException.class,
                () -> post(
                        IdempotentCallInterceptor.requestFactory(HttpClient.newHttpClient()),
                        IdempotentCallInterceptor.with(CallSettings.defaults()),
                        "/long?422"));
        assertThat(refused.getResponseBodyAsString()).isEqualTo(LONG);
    }

    @Test
    void longDocumentOfAPassingFailureIsNotKept() {
        assertThat(send("/long?503", BodyHandlers.ofString()))
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.problem().members()).isEmpty());
    }

    /** As a service sends it to a client that accepts compressed responses. */
    @Test
    void compressedProblemIsReadLikeAnyOther() {
        IdempotentCallException unanswered = catchThrowableOfType(
                IdempotentCallException.class,
                () -> post(
                        IdempotentCallInterceptor.requestFactory(HttpClient.newHttpClient()),
                        IdempotentCallInterceptor.with(CallSettings.defaults()),
                        "/compressed"));

        assertThat(List.of(send("/compressed", BodyHandlers.ofString()), unanswered.result()))
                .allSatisfy(result -> assertThat(result)
                        .isInstanceOfSatisfying(
                                CallResult.CarriedOut.class,
                                carriedOut ->
                                        assertThat(carriedOut.problem().type()).contains(ProblemType.REPLAY_REFUSED)));
    }

    @Test
    void timesWithoutEndAreLongTimes() {
        CallSettings forever = CallSettings.builder()
                .timeLimit(ChronoUnit.FOREVER.getDuration())
                .tryTimeout(ChronoUnit.FOREVER.getDuration())
                .keyLifetime(ChronoUnit.FOREVER.getDuration())
                .build();
        HttpRequest request = HttpRequest.newBuilder(uri("/login"))
                .POST(BodyPublishers.ofString("coffee"))
                .build();
        HttpRequest ofItsOwn = HttpRequest.newBuilder(request, (name, value) -> true)
                .timeout(ChronoUnit.FOREVER.getDuration())
                .build();

        for (HttpRequest sent : List.of(request, ofItsOwn)) {
            assertThat(IdempotentHttpClient.over(HttpClient.newHttpClient(), forever)
                            .send(sent, BodyHandlers.ofString()))
                    .isInstanceOf(CallResult.Succeeded.class);
        }
    }
}
