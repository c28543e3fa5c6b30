package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ProviderOperation;
import io.counterpoint.idempotency.testing.Curl;
import io.counterpoint.idempotency.testing.Race;
import io.counterpoint.idempotency.testkit.ControllableClock;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whatever happens to its requests, a payment has one charge, one row and one response. */
@Tag("thorough")
class PaymentTest {

    private static final FaultyProvider PROVIDER = new FaultyProvider();
    private static final ControllableClock CLOCK = new ControllableClock();
    private static ConfigurableApplicationContext application;
    private static JdbcClient database;

    private final String key = UUID.randomUUID().toString();
    private int chargedBefore;
    private int bookedBefore;
    private int requestsBefore;

    @BeforeAll
    static void start() {
        application = new SpringApplicationBuilder(Application.class)
                .initializers(context ->
                        ((GenericApplicationContext) context).registerBean(IdempotencyClock.class, () -> CLOCK))
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=jdbc:h2:mem:payments;DB_CLOSE_DELAY=-1",
                        "--payments.provider=" + PROVIDER.start(),
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=OFF");
        database = application.getBean(JdbcClient.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void count() {
        PROVIDER.recovers();
        chargedBefore = PROVIDER.charged.get();
        bookedBefore = bookings();
        requestsBefore = PROVIDER.requests.get();
    }

    private static int bookings() {
        return database.sql("SELECT count(*) FROM payment").query(Integer.class).single();
    }

    private static HttpResponse<String> pay(String key, String card) {
        try {
            return Curl.send(
                    "curl -u ann:ann -H 'Idempotency-Key: \"" + key
                            + "\"' -H 'Content-Type: application/json' -d '{\"card\":\"" + card
                            + "\",\"cents\":1250}' http://localhost:8080/payments",
                    String.valueOf(application.getEnvironment().getProperty("local.server.port")));
        } catch (Exception thrown) {
            throw new AssertionError(thrown);
        }
    }

    private HttpResponse<String> pay() {
        return pay(key, "tok_visa");
    }

    private static void assertProblem(HttpResponse<String> answer, int status, String problem) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).contains(problem);
    }

    /** The next retry pays, and all later ones replay its response without calling the provider. */
    private void requireRetryPaysOnce() {
        HttpResponse<String> paid = pay();
        assertThat(paid.statusCode()).as(paid.body()).isEqualTo(201);
        int requests = PROVIDER.requests.get();
        for (int retry = 0; retry < 2; retry++) {
            HttpResponse<String> again = pay();
            assertThat(again.statusCode()).isEqualTo(201);
            assertThat(again.body()).isEqualTo(paid.body());
            assertThat(again.headers().firstValue("Idempotent-Replayed")).contains("true");
        }
        assertThat(PROVIDER.requests).hasValue(requests);
        assertThat(PROVIDER.charged).hasValue(chargedBefore + 1);
        assertThat(bookings()).isEqualTo(bookedBefore + 1);
        assertThat(paid.body()).isEqualTo("{\"charge\":\"ch_" + PROVIDER.charged + "\",\"cents\":1250}");
        assertThat(database.sql("SELECT cents FROM payment WHERE charge = ?")
                        .param("ch_" + PROVIDER.charged)
                        .query(Long.class)
                        .single())
                .isEqualTo(1250);
    }

    private void requireDeclinedForGood() {
        int requests = PROVIDER.requests.get();
        assertProblem(pay(), 422, "card-declined");
        assertThat(PROVIDER.requests).hasValue(requests);
        assertThat(PROVIDER.charged).hasValue(chargedBefore);
        assertThat(bookings()).isEqualTo(bookedBefore);
    }

    @Test
    void paymentIsChargedAndBooked() {
        requireRetryPaysOnce();
        assertThat(PROVIDER.requests).hasValue(requestsBefore + 1);
    }

    @Test
    void lostRequestIsSentAgainByTheRetry() {
        PROVIDER.losesRequest();

        assertProblem(pay(), 503, "outcome-unknown");

        assertThat(PROVIDER.charged).hasValue(chargedBefore);
        requireRetryPaysOnce();
    }

    @Test
    void lostReplyIsReceivedByTheRetry() {
        PROVIDER.losesReply();

        assertProblem(pay(), 503, "outcome-unknown");

        assertThat(PROVIDER.charged).hasValue(chargedBefore + 1);
        assertThat(bookings()).isEqualTo(bookedBefore);
        requireRetryPaysOnce();
    }

    @Test
    void chargeThatTheProviderMakesLateIsTheOneThatIsBooked() {
        CountDownLatch done = PROVIDER.isSlow();
        assertProblem(pay(), 503, "outcome-unknown");
        PROVIDER.answers(409);
        assertProblem(pay(), 503, "outcome-unknown");
        assertThat(PROVIDER.charged).hasValue(chargedBefore);

        done.countDown();

        requireRetryPaysOnce();
    }

    @Test
    void declinedCardIsTheAnswerOfEveryRetry() {
        PROVIDER.answers(402);

        assertProblem(pay(), 422, "card-declined");

        requireDeclinedForGood();
    }

    @Test
    void declinedCardThatARetryLearnsOfIsTheAnswerOfEveryRetry() {
        PROVIDER.answers(500);
        assertProblem(pay(), 503, "outcome-unknown");
        PROVIDER.answers(402);

        assertProblem(pay(), 422, "card-declined");

        requireDeclinedForGood();
    }

    @Test
    void bookingThatFailsIsMadeByTheRetryWithoutAnotherRequest() {
        database.sql("ALTER TABLE payment RENAME TO gone").update();
        try {
            assertProblem(pay(), 503, "outcome-unknown");
            assertProblem(pay(), 503, "outcome-unknown");
        } finally {
            database.sql("ALTER TABLE gone RENAME TO payment").update();
        }

        requireRetryPaysOnce();
        assertThat(PROVIDER.requests).hasValue(requestsBefore + 1);
    }

    @Test
    void operatorEndsWhatTheProviderMayHaveForgotten() {
        PROVIDER.losesReply();
        assertProblem(pay(), 503, "outcome-unknown");
        CLOCK.advance(Duration.ofHours(24));
        PROVIDER.charges.clear();

        assertProblem(pay(), 409, "request-outstanding");
        assertThat(PROVIDER.requests).hasValue(requestsBefore + 1);
        assertThat(operation()
                        .resolveSucceeded(
                                IdempotencyKey.inScope("user:ann")
                                        .operation("pay")
                                        .value(key),
                                "ch_" + PROVIDER.charged))
                .get()
                .isInstanceOf(Outcome.Replayed.class);

        requireRetryPaysOnce();
        assertThat(PROVIDER.requests).hasValue(requestsBefore + 1);
    }

    @SuppressWarnings("unchecked")
    private static ProviderOperation<Order, String> operation() {
        return application.getBean(ProviderOperation.class);
    }

    @Test
    void duplicatesAtOnceChargeOnceThoughAnswersAreLost() {
        List<String> keys =
                Stream.generate(() -> UUID.randomUUID().toString()).limit(5).toList();
        for (int loss = 0; loss < 4; loss++) {
            PROVIDER.losesReply();
            PROVIDER.losesRequest();
        }
        Race.of(3, Duration.ofMinutes(2), caller -> {
                    for (String one : keys) {
                        while (pay(one, "tok_visa").statusCode() != 201) {
                            Thread.onSpinWait();
                        }
                    }
                    return null;
                })
                .forEach(Race.Result::orFail);

        assertThat(PROVIDER.charged).hasValue(chargedBefore + keys.size());
        assertThat(bookings()).isEqualTo(bookedBefore + keys.size());
        assertThat(keys.stream().map(one -> pay(one, "tok_visa").body())).doesNotHaveDuplicates();
    }
}
