package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each row of the table of answers in docs/http-clients.md, from the filter itself, is a typed result. */
@Tag("thorough")
class HttpTableTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int TRIES = 3;

    private static Payments payments;

    private final ManualTime time = new ManualTime();
    private final IdempotentHttpClient client = IdempotentHttpClient.over(
            HTTP, CallSettings.builder().tries(TRIES).clock(time).sleeper(time).build());

    @BeforeAll
    static void start() {
        payments = new Payments();
    }

    @AfterAll
    static void stop() {
        payments.close();
    }

    @BeforeEach
    @AfterEach
    void reset() {
        payments.store.disarm();
        payments.effects.clear();
        payments.keys.clear();
        payments.work = () -> {};
        payments.failingBookings.set(0);
        payments.refusal = 0;
        payments.known = true;
        payments.revoked = false;
        payments.between = Payments.Between.NOTHING;
        payments.transfer = (request, response) -> response.setStatus(201);
    }

    private static HttpRequest request(String path, String body) {
        return HttpRequest.newBuilder(payments.server.uri(path))
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private CallResult<HttpResponse<String>> send(String path, String body) {
        return client.send(request(path, body), BodyHandlers.ofString());
    }

    private CallResult<HttpResponse<String>> sendAgain(CallKey key, String path, String body) {
        return client.send(key, request(path, body), BodyHandlers.ofString());
    }

    private static void assertKeysAreOne(int tries) {
        assertThat(payments.keys).hasSize(tries);
        assertThat(new HashSet<>(payments.keys)).hasSize(1);
    }

    @Test
    void carriedOutNowHasTheServicesResponse() {
        assertThat(send("/payments", "coffee")).isInstanceOfSatisfying(CallResult.Succeeded.class, succeeded -> {
            assertThat(succeeded.replayed()).isFalse();
            assertThat(((HttpResponse<?>) succeeded.response()).body()).isEqualTo("r-coffee");
        });
        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(1);
    }

    @Test
    void carriedOutBeforeIsAReplay() {
        CallKey key = send("/payments", "coffee").key();

        assertThat(sendAgain(key, "/payments", "coffee"))
                .isInstanceOfSatisfying(CallResult.Succeeded.class, succeeded -> {
                    assertThat(succeeded.replayed()).isTrue();
                    assertThat(((HttpResponse<?>) succeeded.response()).body()).isEqualTo("r-coffee");
                });
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void replayOfAnErrorStatusIsCarriedOut() {
        payments.transfer = (request, response) -> response.setStatus(404);
        CallResult<HttpResponse<String>> first = send("/transfers", "coffee");
        assertThat(first).isInstanceOf(CallResult.Rejected.class);

        assertThat(sendAgain(first.key(), "/transfers", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.CarriedOut.class,
                        done -> assertThat(((HttpResponse<?>) done.response()).statusCode())
                                .isEqualTo(404));
        assertThat(payments.effects).hasSize(1);
    }

    @Test
    void keyMissingIsRefused() {
        payments.between = Payments.Between.REMOVES_KEY;
        assertRefused(send("/payments", "coffee"), ProblemType.KEY_MISSING);
    }

    @Test
    void keyInvalidIsRefused() {
        payments.between = Payments.Between.DOUBLES_KEY;
        assertRefused(send("/payments", "coffee"), ProblemType.KEY_INVALID);
    }

    @Test
    void requestMalformedIsRefused() {
        HttpRequest malformed = HttpRequest.newBuilder(payments.server.uri("/payments"))
                .header("Content-Type", "text/plain; charset=none-such")
                .POST(BodyPublishers.ofString("coffee"))
                .build();
        assertRefused(client.send(malformed, BodyHandlers.ofString()), ProblemType.REQUEST_MALFORMED);
    }

    @Test
    void callerUnknownIsRefused() {
        payments.known = false;
        assertRefused(send("/payments", "coffee"), ProblemType.CALLER_UNKNOWN);
    }

    @Test
    void bodyTooLargeIsRefused() {
        assertRefused(send("/payments", "x".repeat(1001)), ProblemType.BODY_TOO_LARGE);
    }

    private void assertRefused(CallResult<?> result, ProblemType type) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        CallResult.Refused.class,
                        refused -> assertThat(refused.problem().type()).contains(type));
        assertThat(payments.effects).isEmpty();
        assertKeysAreOne(1);
        assertThat(time.pauses).isEmpty();
    }

    @Test
    void replayRefusedIsCarriedOutWithoutAnAnswer() {
        CallKey key = send("/transfers", "coffee").key();
        payments.revoked = true;

        assertCarriedOut(sendAgain(key, "/transfers", "coffee"), ProblemType.REPLAY_REFUSED);
    }

    @Test
    void resultUnreadableIsCarriedOutWithoutAnAnswer() {
        CallKey key = send("/badly-read", "coffee").key();

        assertCarriedOut(sendAgain(key, "/badly-read", "coffee"), ProblemType.RESULT_UNREADABLE);
    }

    @Test
    void answerNotKeptIsCarriedOutWithoutAnAnswer() {
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.getOutputStream().write(new byte[5000]);
        };
        CallKey key = send("/transfers", "coffee").key();

        CallResult<?> result = sendAgain(key, "/transfers", "coffee");

        assertCarriedOut(result, ProblemType.ANSWER_NOT_KEPT);
        assertThat(((CallResult.CarriedOut<?>) result).problem().member("reference"))
                .isPresent();
    }

    private static void assertCarriedOut(CallResult<?> result, ProblemType type) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        CallResult.CarriedOut.class,
                        carriedOut -> assertThat(carriedOut.problem().type()).contains(type));
        assertThat(payments.effects).hasSize(1);
        assertKeysAreOne(2);
    }

    @Test
    void requestOutstandingIsTriedAgainAndThenInProgress() throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        payments.work = () -> {
            working.countDown();
            await(goOn);
        };
        CallKey key = CallKey.random();
        CompletableFuture<CallResult<HttpResponse<String>>> leader =
                CompletableFuture.supplyAsync(() -> sendAgain(key, "/payments", "coffee"));
        working.await();

        assertThat(sendAgain(key, "/payments", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.InProgress.class,
                        inProgress ->
                                assertThat(inProgress.problem().type()).contains(ProblemType.REQUEST_OUTSTANDING));

        // The leader's, and this call's tries.
        assertKeysAreOne(1 + TRIES);
        assertThat(time.pauses).hasSize(TRIES - 1).allMatch(pause -> pause.toMillis() >= 1000);
        goOn.countDown();
        assertThat(leader.join()).isInstanceOf(CallResult.Succeeded.class);
    }

    @Test
    void keyExpiredIsNotTriedAgain() {
        CallKey old = new CallKey("019b6e77-8000-7000-8000-000000000000");

        assertThat(sendAgain(old, "/timed", "coffee")).isInstanceOf(CallResult.KeyExpired.class);
        assertKeysAreOne(1);
        assertThat(payments.effects).isEmpty();
    }

    @Test
    void keyReusedIsNotTriedAgain() {
        CallKey key = send("/payments", "coffee").key();
        CallSettings settings = CallSettings.builder().keys(() -> key).build();

        assertThat(IdempotentHttpClient.over(HTTP, settings)
                        .send(request("/payments", "cake"), BodyHandlers.ofString()))
                .isInstanceOfSatisfying(
                        CallResult.KeyReused.class,
                        reused -> assertThat(reused.problem().type()).contains(ProblemType.KEY_REUSED));
        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(2);
    }

    @Test
    void attemptFailedSaysWhy() {
        payments.work = () -> {
            throw new IllegalArgumentException("declined");
        };

        assertThat(send("/payments", "coffee")).isInstanceOfSatisfying(CallResult.Failed.class, failed -> {
            assertThat(failed.problem().type()).contains(ProblemType.ATTEMPT_FAILED);
            assertThat(failed.problem().member("failure")).contains("card-declined");
        });
        assertThat(payments.effects).isEmpty();
        // The first answer is the container's own 500.
        assertKeysAreOne(2);
    }

    @Test
    void resultUnstorableIsFailed() {
        assertThat(send("/badly-written", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.Failed.class,
                        failed -> assertThat(failed.problem().type()).contains(ProblemType.RESULT_UNSTORABLE));
        assertThat(payments.effects).isEmpty();
        assertKeysAreOne(1);
    }

    @Test
    void tooManyUnresolvedIsTriedAgainAndThenNotStarted() {
        payments.transfer = (request, response) -> response.setStatus(500);
        assertThat(send("/limited", "coffee")).isInstanceOf(CallResult.InProgress.class);
        payments.keys.clear();

        assertThat(send("/limited", "tea"))
                .isInstanceOfSatisfying(
                        CallResult.NotStarted.class,
                        notStarted ->
                                assertThat(notStarted.problem().type()).contains(ProblemType.TOO_MANY_UNRESOLVED));
        assertKeysAreOne(TRIES);
    }

    @Test
    void storeUnavailableIsTriedAgain() {
        payments.store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);

        assertThat(send("/payments", "coffee")).isInstanceOf(CallResult.Succeeded.class);
        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(2);
    }

    @Test
    void whatWaitsForARepairIsNotTriedAgain() {
        assertThat(send("/badly-planned", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.NotStarted.class,
                        notStarted -> assertThat(notStarted.problem().type()).contains(ProblemType.NOT_STARTED));
        assertThat(payments.effects).isEmpty();
        assertKeysAreOne(1);
    }

    @Test
    void storeThatStaysUnavailableHasStartedNothing() {
        payments.storeIsGone();

        assertThat(send("/payments", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.NotStarted.class,
                        notStarted -> assertThat(notStarted.problem().type()).contains(ProblemType.STORE_UNAVAILABLE));
        assertThat(payments.effects).isEmpty();
        assertKeysAreOne(TRIES);
    }

    @Test
    void outcomeUnknownStaysUnknownThoughALaterTryStartedNothing() {
        payments.work = () -> {
            payments.store.at(StoreCall.COMMIT).losesAnswer();
            payments.storeIsGone();
        };

        CallResult<HttpResponse<String>> result = send("/payments", "coffee");

        // The last try was answered "nothing was started", and the first one had its effect.
        assertThat(result).isInstanceOf(CallResult.Unknown.class);
        assertKeysAreOne(TRIES);
        payments.store.disarm();
        assertThat(sendAgain(result.key(), "/payments", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.Succeeded.class,
                        succeeded -> assertThat(succeeded.replayed()).isTrue());
        assertThat(payments.effects).containsExactly("coffee");
    }

    @Test
    void owedFollowUpIsTriedAgainUntilTheEffectIsBooked() {
        payments.failingBookings.set(TRIES - 1);

        assertThat(send("/followed-up", "coffee")).isInstanceOf(CallResult.Succeeded.class);

        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(TRIES);
        assertThat(time.pauses).hasSize(TRIES - 1).allMatch(pause -> pause.toMillis() >= 1000);
    }

    @Test
    void followUpThatStaysOwedIsUnknownAndNeverNotStarted() {
        payments.failingBookings.set(TRIES);

        assertThat(send("/followed-up", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.problem().type()).contains(ProblemType.OUTCOME_UNKNOWN));
        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(TRIES);
    }

    @Test
    void recordThatTheServiceCannotReadIsUnknownAtOnce() {
        payments.store.at(StoreCall.CLAIM).fails(Fault.RECORD_UNREADABLE);

        assertThat(send("/followed-up", "coffee"))
                .isInstanceOfSatisfying(
                        CallResult.Unknown.class,
                        unknown -> assertThat(unknown.problem().type()).contains(ProblemType.OUTCOME_UNRESOLVED));
        assertThat(payments.effects).isEmpty();
        assertKeysAreOne(1);
    }

    @Test
    void ownRefusalOfTheServiceIsForTheCaller() {
        payments.refusal = 402;

        assertThat(send("/payments", "coffee")).isInstanceOfSatisfying(CallResult.Rejected.class, rejected -> {
            assertThat(((HttpResponse<?>) rejected.response()).body().toString())
                    .contains("No funds");
        });
        assertKeysAreOne(1);
    }

    @Test
    void ownErrorOfTheServiceIsUnresolvedAndNeverRunAgain() {
        payments.transfer = (request, response) -> response.setStatus(500);

        assertThat(send("/transfers", "coffee")).isInstanceOf(CallResult.InProgress.class);
        assertThat(payments.effects).containsExactly("coffee");
        assertKeysAreOne(TRIES);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
