package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.client.ClientKeys.Unfinished;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests and answers that get lost on the way, and bodies that cannot be read twice. */
class LostAnswersTest {

    private final Payments payments = new Payments();
    private final HttpProxy proxy = new HttpProxy(payments.server.port());
    private final ManualTime time = new ManualTime();
    private final JdbcDataSource database = new JdbcDataSource();

    @AfterEach
    void stop() {
        proxy.close();
        payments.close();
    }

    private IdempotentHttpClient client(int tries) {
        return IdempotentHttpClient.over(
                HttpClient.newHttpClient(),
                CallSettings.builder()
                        .tries(tries)
                        .clock(time)
                        .sleeper(time)
                        .maxBody(2000)
                        .build());
    }

    private HttpRequest request(BodyPublisher body) {
        return HttpRequest.newBuilder(proxy.uri("/payments")).POST(body).build();
    }

    private HttpRequest request(String body) {
        return request(BodyPublishers.ofString(body));
    }

    private ClientKeys keys() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        Jdbi.create(database).useHandle(handle -> handle.execute(ClientKeysTest.table()));
        return ClientKeys.in(database);
    }

    @Test
    void lostAnswersAreReplayedAndThereIsOneEffect() {
        proxy.cutAnswers(3);

        CallResult<HttpResponse<String>> result = client(5).send(request("coffee"), BodyHandlers.ofString());

        assertThat(result).isInstanceOfSatisfying(CallResult.Succeeded.class, succeeded -> {
            assertThat(succeeded.replayed()).isTrue();
            assertThat(((HttpResponse<?>) succeeded.response()).body()).isEqualTo("r-coffee");
        });
        assertThat(payments.effects).containsExactly("coffee");
        assertThat(payments.keys).hasSize(4);
        assertThat(new HashSet<>(payments.keys)).hasSize(1);
        assertThat(proxy.hasCut()).isTrue();
    }

    @Test
    void lostRequestsAreSentAgain() {
        proxy.cutRequests(2);

        assertThat(client(5).send(request("coffee"), BodyHandlers.ofString()))
                .isInstanceOfSatisfying(
                        CallResult.Succeeded.class,
                        succeeded -> assertThat(succeeded.replayed()).isFalse());
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void callWithoutAnAnswerIsUnknownAndGoesOnWithItsKey() {
        proxy.cutAnswers(2);
        CallResult<HttpResponse<String>> result = client(2).send(request("coffee"), BodyHandlers.ofString());
        assertThat(result)
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.failure()).isInstanceOf(IOException.class));

        assertThat(client(2).send(result.key(), request("coffee"), BodyHandlers.ofString()))
                .isInstanceOfSatisfying(
                        CallResult.Succeeded.class,
                        succeeded -> assertThat(succeeded.replayed()).isTrue());
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void timeoutIsTriedAgain() throws Exception {
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        payments.work = () -> {
            atWork.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        // On a busy machine a try may be out of time before it gets to the server.
        time.meanwhile = () -> {
            if (atWork.getCount() == 0) {
                goOn.countDown();
            }
        };
        HttpRequest hasty = HttpRequest.newBuilder(request("coffee"), (name, value) -> true)
                .timeout(Duration.ofMillis(300))
                .build();

        // The retry finds the first try at work or done, and ends with the answer of either.
        CallResult<HttpResponse<String>> result = client(100).send(hasty, BodyHandlers.ofString());

        assertThat(result).isInstanceOf(CallResult.Succeeded.class);
        assertThat(payments.effects).containsExactly("coffee");
        assertThat(payments.keys.size()).isGreaterThan(1);
    }

    /** Over a connection that is there: a try that is out of time before it has one has not started. */
    @Test
    void answerThatStopsInItsBodyIsLost() throws Exception {
        try (ServerSocket server = new ServerSocket(0)) {
            HttpRequest.Builder coffee = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + server.getLocalPort() + "/payments"))
                    .POST(BodyPublishers.ofString("coffee"));
            IdempotentHttpClient client = client(1);
            CompletableFuture<CallResult<HttpResponse<String>>> first =
                    CompletableFuture.supplyAsync(() -> client.send(coffee.build(), BodyHandlers.ofString()));
            try (Socket connection = server.accept()) {
                answer(connection, "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
                assertThat(first.join()).isInstanceOf(CallResult.Succeeded.class);
                HttpRequest hasty = coffee.timeout(Duration.ofMillis(300)).build();
                CompletableFuture<CallResult<HttpResponse<String>>> result =
                        CompletableFuture.supplyAsync(() -> client.send(hasty, BodyHandlers.ofString()));
                answer(connection, "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\ncof");

                assertThat(result.join())
                        .isInstanceOfSatisfying(
                                CallResult.Unknown.class,
                                unknown -> assertThat(unknown.failure()).isInstanceOf(HttpTimeoutException.class));
            }
        }
    }

    /** Reads a request for a coffee, and writes this. */
    private static void answer(Socket connection, String text) throws IOException {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\ncoffee") < 0) {
            int read = connection.getInputStream().read();
            assertThat(read).as(request.toString()).isPositive();
            request.append((char) read);
        }
        connection.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void exceptionOfTheCallersHandlerIsALostAnswer() {
        CallResult<HttpResponse<String>> result = client(2)
                .send(
                        request("coffee"),
                        info -> HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.discarding(), nothing -> {
                                    throw new IllegalStateException("not readable");
                                }));

        assertThat(result).isInstanceOf(CallResult.Unknown.class);
        assertThat(payments.effects).containsExactly("coffee");
    }

    /** Nobody listens at a port that is bound and no more, and nobody else can take it meanwhile. */
    @Test
    void serverThatIsNotThereHasStartedNothing() throws Exception {
        try (Socket nobody = new Socket()) {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HttpRequest toNobody = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + nobody.getLocalPort() + "/payments"))
                    .POST(BodyPublishers.ofString("coffee"))
                    .build();

            assertThat(client(3).send(toNobody, BodyHandlers.ofString()))
                    .isInstanceOfSatisfying(
                            CallResult.NotStarted.class,
                            notStarted -> assertThat(notStarted.failure()).isNotNull());
            assertThat(time.pauses).hasSize(2);
        }
    }

    @Test
    void bodyThatCanBeReadOnceIsTheSameAtEachTry() {
        Iterator<ByteArrayInputStream> once = List.of(
                        new ByteArrayInputStream("coffee".getBytes(StandardCharsets.UTF_8)))
                .iterator();
        proxy.cutAnswers(2);

        assertThat(client(5).send(request(BodyPublishers.ofInputStream(once::next)), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.Succeeded.class);
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void bodiesThatCannotBeKeptAreRefusedAndNothingIsSent() {
        BodyPublisher failing = BodyPublishers.fromPublisher(subscriber -> {
            subscriber.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long items) {
                    subscriber.onError(new IOException("read already"));
                }

                @Override
                public void cancel() {}
            });
        });
        BodyPublisher large = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[2001]));
        for (BodyPublisher body : List.of(failing, large, BodyPublishers.ofByteArray(new byte[2001]))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> client(5).send(request(body), BodyHandlers.ofString()));
        }
        HttpRequest withKey = HttpRequest.newBuilder(proxy.uri("/payments"))
                .header("idempotency-key", "mine")
                .POST(BodyPublishers.ofString("coffee"))
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client(5).send(withKey, BodyHandlers.ofString()))
                .withMessageContaining("CallKey");
        assertThat(payments.keys).isEmpty();
    }

    @Test
    void storedCallGoesOnInANewProcessWithItsKey() {
        ClientKeys keys = keys();
        proxy.cutAnswers(2);
        assertThat(client(2).send(keys, "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.Unknown.class);
        List<Unfinished> unfinished = keys.unfinished(10);
        assertThat(unfinished).extracting(Unfinished::callId).containsExactly("order 42");

        // Other objects over the same table, as in a new process.
        CallResult<HttpResponse<String>> result =
                client(2).send(ClientKeys.in(database), "order 42", request("coffee"), BodyHandlers.ofString());

        assertThat(result)
                .isInstanceOfSatisfying(
                        CallResult.Succeeded.class,
                        succeeded -> assertThat(succeeded.replayed()).isTrue());
        assertThat(result.key()).isEqualTo(unfinished.get(0).key());
        assertThat(keys.unfinished(10)).isEmpty();
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void keyIsCommittedBeforeTheFirstTry() {
        ClientKeys keys = keys();
        payments.work = () -> payments.effects.add("stored: "
                + keys.unfinished(10).stream()
                        .anyMatch(call -> payments.keys.contains(call.key().header())));

        assertThat(client(1).send(keys, "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.Succeeded.class);
        assertThat(payments.effects).containsExactly("stored: true", "coffee");
    }

    @Test
    void anotherRequestUnderAStoredCallIsRefusedAndNothingIsSent() {
        ClientKeys keys = keys();
        assertThat(client(1).send(keys, "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.Succeeded.class);

        assertThatThrownBy(() -> client(1).send(keys, "order 42", request("cake"), BodyHandlers.ofString()))
                .isInstanceOf(CallMismatchException.class);
        assertThat(payments.keys).hasSize(1);
    }

    @Test
    void withoutItsTableNothingIsSent() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID());

        assertThatThrownBy(() ->
                        client(1).send(ClientKeys.in(database), "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(ClientKeysException.class);
        assertThat(payments.keys).isEmpty();
    }

    @Test
    void storedKeyIsNotSentAfterItsLifetime() {
        ClientKeys keys = keys();
        proxy.cutAnswers(1);
        assertThat(client(1).send(keys, "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.Unknown.class);
        time.advance(Duration.ofHours(25));

        assertThat(client(1).send(keys, "order 42", request("coffee"), BodyHandlers.ofString()))
                .isInstanceOf(CallResult.KeyExpired.class);
        assertThat(payments.keys).hasSize(1);
        assertThat(keys.unfinished(10)).hasSize(1);
    }
}
