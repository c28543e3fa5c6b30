package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes that published filters make. */
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class RegressionTest {

    private final Payments payments = new Payments();
    private final Client client;

    RegressionTest(Client client) {
        this.client = client;
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    private Answer post(String path, String key, String body, String caller) throws Exception {
        return client.send(payments.request(path, body).key(key).header("Caller", caller));
    }

    /** The filter drains the body, the handler sees none, and its error is cached for a day. */
    @Test
    void handlerReadsTheSameBodyAndItsErrorIsNotStored() throws Exception {
        payments.transfer = (request, response) -> {
            // The handler has read the body before: see Payments.
            response.setStatus(payments.effects.contains("body") ? 201 : 500);
        };
        assertThat(post("/transfers/1", "k", "body", "user:1").status()).isEqualTo(201);

        payments.transfer = (request, response) -> response.setStatus(400);
        assertThat(post("/transfers/1", "other", "body", "user:1").status()).isEqualTo(400);
        payments.transfer = (request, response) -> response.setStatus(201);
        Answer retry = post("/transfers/1", "other", "body", "user:1");
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isFalse();
    }

    /** The domain commits after the response was written, fails, and the client holds a 201 for nothing. */
    @Test
    void answerOfAFailedCommitNeverReachesTheClient() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.getOutputStream().write("done".getBytes(StandardCharsets.UTF_8));
            response.flushBuffer();
            throw new IllegalStateException("the commit failed");
        };
        Answer answer = post("/transfers/1", "k", "a", "user:1");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body()).doesNotContain("done");
        assertThat(post("/transfers/1", "k", "a", "user:1").problem()).isEqualTo("request-outstanding");
    }

    /** The same, handler-managed: the result is known only after the commit, so no answer can be written before. */
    @Test
    void commitThatFailsIsNeverAnsweredWithSuccess() throws Exception {
        payments.store.at(StoreCall.COMMIT).fails(Fault.STATEMENT_REFUSED);
        Answer answer = post("/payments", "k", "a", "user:1");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(payments.effects).isEmpty();
        assertThat(post("/payments", "k", "a", "user:1").problem()).isEqualTo("attempt-failed");
    }

    /** One namespace for all users: one user's key reads another's result. */
    @Test
    void keyOfOneUserNeverReadsTheAnswerOfAnother() throws Exception {
        for (String path : java.util.List.of("/payments", "/transfers/1")) {
            payments.effects.clear();
            Answer first = post(path, "k", "a", "user:1");
            Answer other = post(path, "k", "a", "user:2");

            assertThat(first.status()).isEqualTo(201);
            assertThat(other.status()).isEqualTo(201);
            assertThat(other.replayed()).isFalse();
            assertThat(payments.effects).hasSize(2);
            assertThat(post(path, "k", "b", "user:3").problem()).isEmpty();
            assertThat(post(path, "k", "a", "user:1").body()).isEqualTo(first.body());
        }
    }
}
