package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.testing.Race;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Many at once, and clients that go away. */
@Tag("thorough")
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class ConcurrencyTest {

    private static final int DUPLICATES = 200;

    private final Client client;
    private final Payments payments = new Payments();

    ConcurrencyTest(Client client) {
        this.client = client;
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    @Test
    void twoHundredDuplicatesHaveOneEffectAndIdenticalBodies() throws Exception {
        for (String path : List.of("/payments", "/transfers/1")) {
            payments.effects.clear();
            payments.leaderWaitsForClaims(DUPLICATES / 2);
            List<Race.Result<Answer>> results = Race.of(
                    DUPLICATES,
                    number -> client.send(payments.request(path, "a").key("k")));
            List<Answer> answers = results.stream()
                    .map(Race.Result::orFail)
                    .map(Objects::requireNonNull)
                    .toList();

            assertThat(payments.effects).containsExactly("a");
            assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
            List<String> successes = answers.stream()
                    .filter(answer -> answer.status() == 201)
                    .map(Answer::body)
                    .toList();
            assertThat(successes.stream().distinct()).hasSize(1);
            assertThat(answers.stream().filter(answer -> answer.status() == 201 && !answer.replayed()))
                    .hasSize(1);
            Answer later = client.send(payments.request(path, "a").key("k"));
            assertThat(later.body()).isEqualTo(successes.get(0));
            System.out.println(client + ": " + DUPLICATES + " duplicates of one " + path + ": 1 effect, "
                    + successes.size() + " identical answers 201, " + (DUPLICATES - successes.size()) + " times 409.");
        }
    }

    @Test
    void clientThatGoesAwayInTheMiddleOfItsBodyHasClaimedNothing() throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), payments.server.port())) {
            OutputStream out = socket.getOutputStream();
            out.write("POST /payments HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 1000\r\n\r\nhalf"
                    .getBytes(StandardCharsets.US_ASCII));
            out.flush();
        }
        // Another body under the key: it would be refused if the first had claimed it.
        Answer retry = client.send(payments.request("/payments", "whole").key("k"));

        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isFalse();
        assertThat(payments.effects).containsExactly("whole");
        assertThat(payments.store.openSessions()).isZero();
    }

    @Test
    void clientThatGoesAwayBeforeItsAnswerGetsItWithItsRetry() throws Exception {
        for (String path : List.of("/payments", "/transfers/1")) {
            payments.effects.clear();
            CountDownLatch working = new CountDownLatch(1);
            CountDownLatch gone = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            Runnable whileTheClientGoes = () -> {
                working.countDown();
                try {
                    gone.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            };
            payments.work = whileTheClientGoes;
            payments.transfer = (request, response) -> {
                whileTheClientGoes.run();
                response.setStatus(201);
                response.getWriter().write("made");
                done.countDown();
            };
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), payments.server.port())) {
                socket.getOutputStream()
                        .write(("POST " + path + " HTTP/1.1\r\nHost: x\r\nIdempotency-Key: \"k\"\r\n"
                                        + "Content-Length: 1\r\n\r\na")
                                .getBytes(StandardCharsets.US_ASCII));
                working.await();
                socket.setSoLinger(true, 0);
            }
            gone.countDown();
            Answer retry;
            do {
                retry = client.send(payments.request(path, "a").key("k"));
            } while (retry.status() == 409);

            assertThat(retry.status()).isEqualTo(201);
            assertThat(retry.replayed()).isTrue();
            assertThat(payments.effects).containsExactly("a");
        }
    }
}
