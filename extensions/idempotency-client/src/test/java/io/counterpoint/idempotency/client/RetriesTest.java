package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterpoint.idempotency.http.ProblemType;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a call is tried again, how long it waits, and what it ends as; by answers in every order. */
class RetriesTest {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final Deque<Object> answers = new ArrayDeque<>();
    private final List<CallKey> sent = new ArrayList<>();
    private boolean neverSent;

    private CallSettings.Builder settings() {
        return CallSettings.builder()
                .tries(5)
                .backoff(FIRST_PAUSE, LONGEST_PAUSE)
                .clock(time)
                .sleeper(time);
    }

    private Exchange<String> exchange() {
        return new Exchange<>() {
            @Override
            public Reply<String> send(CallKey key) throws IOException, InterruptedException {
                sent.add(key);
                Object answer = answers.size() == 1 ? answers.peek() : answers.remove();
                if (answer instanceof IOException lost) {
                    throw lost;
                }
                if (answer instanceof InterruptedException interrupted) {
                    throw interrupted;
                }
                if (answer instanceof RuntimeException unexpected) {
                    throw unexpected;
                }
                @SuppressWarnings("unchecked")
                Reply<String> reply = (Reply<String>) answer;
                return reply;
            }

            @Override
            public boolean isNeverSent(IOException failure) {
                return neverSent;
            }
        };
    }

    private CallResult<String> call(Object... inOrder) {
        return call(settings(), inOrder);
    }

    private CallResult<String> call(CallSettings.Builder settings, Object... inOrder) {
        answers.clear();
        sent.clear();
        time.pauses.clear();
        answers.addAll(List.of(inOrder));
        return new Calls(settings.build()).withNewKey(exchange());
    }

    private static Reply<String> reply(Problem problem, Map<String, String> headers) {
        boolean forCaller = Reply.isForCaller(
                problem,
                headers.containsKey("Retry-After"),
                Reply.isReplay(name -> Optional.ofNullable(headers.get(name))));
        return Reply.of(
                problem,
                name -> Optional.ofNullable(headers.get(name)),
                forCaller ? "response" : null,
                CompletableFuture.completedStage(null));
    }

    private static Reply<String> status(int status, @Nullable String retryAfter) {
        return reply(Problem.untyped(status), retryAfter == null ? Map.of() : Map.of("Retry-After", retryAfter));
    }

    private static Reply<String> status(int status) {
        return status(status, null);
    }

    private static Reply<String> problem(ProblemType type) {
        return reply(new Problem(400, Optional.of(type), Map.of()), Map.of());
    }

    private static IOException lost() {
        return new IOException("connection reset");
    }

    @Test
    void everyTryOfACallSendsOneKeyAndEveryCallAnother() {
        CallKey first = call(lost(), status(503), lost(), status(201)).key();

        assertThat(sent).hasSize(4).containsOnly(first);
        assertThat(call(status(201)).key()).isNotEqualTo(first);
    }

    @Test
    void statusesThatMayChangeAreTriedAgain() {
        for (Object answer : List.of(
                lost(),
                status(408),
                status(425),
                status(429),
                status(500),
                status(502),
                status(503),
                status(504),
                status(409, "1"),
                problem(ProblemType.REQUEST_OUTSTANDING),
                problem(ProblemType.TOO_MANY_UNRESOLVED),
                problem(ProblemType.STORE_UNAVAILABLE),
                problem(ProblemType.OUTCOME_UNKNOWN))) {
            assertThat(call(answer, status(200)))
                    .as("%s", answer)
                    .isEqualTo(new CallResult.Succeeded<>(sent.get(0), "response", false));
            assertThat(sent).hasSize(2);
        }
    }

    @Test
    void definiteAnswersAreNeverTriedAgain() {
        for (Object answer : List.of(
                status(200),
                status(204),
                status(303),
                status(400),
                status(404),
                status(409),
                status(422),
                problem(ProblemType.KEY_REUSED),
                problem(ProblemType.ATTEMPT_FAILED),
                problem(ProblemType.RESULT_UNREADABLE),
                problem(ProblemType.KEY_MISSING),
                problem(ProblemType.KEY_EXPIRED),
                problem(ProblemType.ANSWER_NOT_KEPT))) {
            CallResult<String> unused = call(answer, status(500));
            assertThat(sent).as("%s", answer).hasSize(1);
        }
    }

    @Test
    void refusalAfterALostTryIsNotTheLastWord() {
        for (Object refusal : List.of(
                status(401),
                status(404),
                problem(ProblemType.CALLER_UNKNOWN),
                problem(ProblemType.KEY_REUSED),
                problem(ProblemType.KEY_MISSING),
                problem(ProblemType.RESULT_UNSTORABLE))) {
            assertThat(call(lost(), refusal)).as("%s", refusal).isInstanceOf(CallResult.Unknown.class);
            assertThat(call(refusal)).as("%s", refusal).isNotInstanceOf(CallResult.Unknown.class);
        }
        assertThat(call(lost(), problem(ProblemType.ATTEMPT_FAILED))).isInstanceOf(CallResult.Failed.class);
    }

    @Test
    void refusalAfterTriesThatStartedNothingIsTheLastWord() {
        assertThat(call(problem(ProblemType.STORE_UNAVAILABLE), status(429), status(404)))
                .isInstanceOf(CallResult.Rejected.class);
    }

    @Test
    void callThatGoesOnWithAnEarlierKeyTakesNoRefusalForTheLastWord() {
        answers.add(status(404));

        assertThat(new Calls(settings().build()).goOn(CallKey.random(), exchange()))
                .isInstanceOf(CallResult.Unknown.class);
    }

    @Test
    void errorStatusOfARequestThatMayHaveAnEffectIsNeverARejection() {
        Map<String, String> mark = Map.of("Idempotency-May-Have-Effect", "true");
        for (int status : List.of(400, 402, 404, 406, 409, 416, 422, 425, 429, 500, 503)) {
            assertThat(call(settings().tries(1), reply(Problem.untyped(status), mark)))
                    .as("%s", status)
                    .isInstanceOfSatisfying(
                            CallResult.Unknown.class,
                            unknown -> assertThat(unknown.isDefinite()).isFalse());
        }
        for (ProblemType type : List.of(
                ProblemType.ATTEMPT_FAILED,
                ProblemType.KEY_REUSED,
                ProblemType.REQUEST_MALFORMED,
                ProblemType.RESULT_UNSTORABLE,
                ProblemType.NOT_STARTED,
                ProblemType.STORE_UNAVAILABLE)) {
            Problem problem = new Problem(type.status(), Optional.of(type), Map.of());
            assertThat(call(settings().tries(1), reply(problem, mark)))
                    .as("%s", type)
                    .isInstanceOf(CallResult.Unknown.class);
        }
    }

    @Test
    void replayWithAnErrorStatusIsCarriedOut() {
        for (int status : List.of(400, 404, 406, 409, 416, 429, 500)) {
            assertThat(call(reply(Problem.untyped(status), Map.of("Idempotent-Replayed", "true"))))
                    .isEqualTo(new CallResult.CarriedOut<>(sent.get(0), Problem.untyped(status), "response"));
            assertThat(sent).hasSize(1);
        }
    }

    @Test
    void connectionThatNeverWasStartedNothing() {
        neverSent = true;
        assertThat(call(lost())).isInstanceOf(CallResult.NotStarted.class);
        neverSent = false;
        assertThat(call(lost())).isInstanceOf(CallResult.Unknown.class);
        assertThat(sent).hasSize(5);
    }

    @Test
    void redirectionIsNeverTakenForSuccess() {
        assertThat(call(status(302))).isInstanceOf(CallResult.Unknown.class);
        assertThat(call(settings().carriedOutBy(302), status(302))).isInstanceOf(CallResult.Succeeded.class);
        assertThat(call(status(303))).isInstanceOf(CallResult.Succeeded.class);
        for (int status : new int[] {200, 299, 408, 425, 429, 500}) {
            assertThatIllegalArgumentException().isThrownBy(() -> settings().carriedOutBy(status));
        }
    }

    @Test
    void pausesGrowAndAreRandom() {
        CallResult<String> unused = call(settings().tries(7), status(500));

        List<Duration> pauses = time.pauses;
        assertThat(pauses).hasSize(6).allMatch(pause -> pause.compareTo(LONGEST_PAUSE) <= 0);
        for (int i = 0; i < 3; i++) {
            long most = FIRST_PAUSE.toNanos() << i;
            assertThat(pauses.get(i).toNanos()).isBetween(most / 2, most);
        }
        assertThat(new HashSet<>(pauses)).hasSizeGreaterThan(4);
    }

    @Test
    void retryAfterInSecondsIsWaitedFor() {
        CallResult<String> unused = call(status(503, "7"), status(200));

        assertThat(time.pauses).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void retryAfterAsADateIsWaitedFor() {
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                ManualTime.START.plusSeconds(9).atOffset(ZoneOffset.UTC));

        CallResult<String> unused = call(status(429, date), status(200));

        assertThat(time.pauses).containsExactly(Duration.ofSeconds(9));
    }

    @Test
    void retryAfterThatSaysNothingIsLeftToTheBackoff() {
        for (String value : List.of("", "0", "-5", "soon", "1.5", "Thu, 01 Jan 1970 00:00:00 GMT", "٣")) {
            CallResult<String> unused = call(status(503, value), status(200));
            assertThat(time.pauses).as(value).hasSize(1).allMatch(pause -> pause.compareTo(FIRST_PAUSE) <= 0);
        }
    }

    @Test
    void retryAfterBeyondTheTimeLimitEndsTheCall() {
        for (String value : List.of("121", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT")) {
            assertThat(call(status(503, value), status(200))).as(value).isInstanceOf(CallResult.Unknown.class);
            assertThat(sent).hasSize(1);
            assertThat(time.pauses).isEmpty();
        }
    }

    @Test
    void timeLimitEndsTheCallBeforeItsTries() {
        CallResult<String> unused = call(settings().timeLimit(Duration.ofSeconds(10)), status(503, "4"));

        assertThat(sent).hasSize(3);
    }

    @Test
    void keyIsNotSentAfterItsLifetime() {
        assertThat(call(
                        settings().keyLifetime(Duration.ofSeconds(10)),
                        status(503, "6"),
                        status(503, "6"),
                        status(200)))
                .isEqualTo(new CallResult.KeyExpired<>(sent.get(0), null));
        assertThat(sent).hasSize(2);
    }

    @Test
    void keyIsNotSentAfterTheLifetimeThatAnAnswerTells() {
        assertThat(call(status(503, "6"), telling("10"), status(200)))
                .isEqualTo(new CallResult.KeyExpired<>(sent.get(0), null));
        assertThat(sent).hasSize(2);

        for (String nothing : List.of("", "-1", "PT5S", "1.5", "99999999999999999999", "1000")) {
            assertThat(call(status(503, "6"), telling(nothing), status(200)))
                    .as(nothing)
                    .isInstanceOf(CallResult.Succeeded.class);
        }
    }

    /** A 503 that asks for six seconds. */
    private static Reply<String> telling(String lifetime) {
        Map<String, String> headers = Map.of("Retry-After", "6", "Idempotency-Key-Lifetime", lifetime);
        return Reply.of(
                Problem.untyped(503),
                name -> Optional.ofNullable(headers.get(name)),
                null,
                CompletableFuture.completedStage(null));
    }

    @Test
    void interruptedCallEndsWithItsKeyAndStaysInterrupted() {
        assertThat(call(new InterruptedException())).isInstanceOf(CallResult.Unknown.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(sent).hasSize(1);

        time.meanwhile = () -> Thread.currentThread().interrupt();
        assertThat(call(problem(ProblemType.STORE_UNAVAILABLE))).isInstanceOf(CallResult.NotStarted.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(sent).hasSize(1);
    }

    /** As a pool of connections throws that was shut down between two tries. */
    @Test
    void unexpectedExceptionOfATryLeavesTheOutcomeUnknownAndKeepsTheKey() {
        RuntimeException shutDown = new IllegalStateException("The pool is shut down.");

        assertThat(call(lost(), shutDown)).isEqualTo(new CallResult.Unknown<>(sent.get(0), null, null, shutDown));
        assertThat(sent).hasSize(2);
    }

    @Test
    void settingsOutOfBoundsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> settings().tries(0));
        assertThatIllegalArgumentException().isThrownBy(() -> settings().timeLimit(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> settings().tryTimeout(Duration.ofSeconds(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> settings().keyLifetime(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> settings().maxBody(-1));
        HttpClient following = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        assertThatIllegalArgumentException().isThrownBy(() -> IdempotentHttpClient.over(following));
    }

    @Test
    void keysAreCheckedAndNeverShown() {
        for (String value : List.of("", "a b", "a\n", "ä", "x".repeat(256))) {
            assertThatIllegalArgumentException().isThrownBy(() -> new CallKey(value));
        }
        assertThat(new CallKey("a\"b\\c").header()).isEqualTo("\"a\\\"b\\\\c\"");
        CallKey key = CallKey.random();
        assertThat(call(lost()).toString() + key)
                .doesNotContain(sent.get(0).value())
                .doesNotContain(key.value());
    }
}
