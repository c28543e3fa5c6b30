package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every row of the behaviour, over a real socket. */
abstract class BehaviourTest {

    private final Client client;
    private final Payments payments;

    BehaviourTest(Client client, Container.Kind container) {
        this.client = client;
        payments = new Payments(container);
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    private Answer send(Request request) throws Exception {
        return client.send(request);
    }

    private Answer post(String path, String key, String body) throws Exception {
        return send(payments.request(path, body).key(key));
    }

    // ---- which requests ------------------------------------------------------------------------------------------

    @Test
    void postAndPatchNeedAKeyAndOtherMethodsDoNot() throws Exception {
        for (String method : List.of("POST", "PATCH")) {
            assertThat(send(payments.request("/payments", "a").method(method)).problem())
                    .isEqualTo("key-missing");
        }
        assertThat(payments.effects).isEmpty();
        for (String path : List.of("/payments", "/transfers/1")) {
            payments.effects.clear();
            for (String method : List.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE")) {
                for (int times = 1; times <= 2; times++) {
                    Answer answer =
                            send(payments.request(path, "a").method(method).key("k"));
                    assertThat(answer.status()).as(method).isEqualTo(201);
                    assertThat(answer.replayed()).isFalse();
                }
            }
            assertThat(payments.effects).hasSize(10);
        }
    }

    @Test
    void optionalKeyProtectsWhenSentAndIsRefusedWhenMalformed() throws Exception {
        assertThat(send(payments.request("/optional", "a")).status()).isEqualTo(201);
        assertThat(send(payments.request("/optional", "a")).status()).isEqualTo(201);
        assertThat(post("/optional", "k", "b").status()).isEqualTo(201);
        assertThat(post("/optional", "k", "b").replayed()).isTrue();
        assertThat(post("/optional", "a,b", "c").problem()).isEqualTo("key-invalid");
        assertThat(payments.effects).containsExactly("a", "a", "b");
    }

    @Test
    void routeThatIsOffPassesUntouched() throws Exception {
        assertThat(post("/off", "k", "a").status()).isEqualTo(201);
        assertThat(post("/off", "k", "a").replayed()).isFalse();
        assertThat(payments.effects).containsExactly("a", "a");
    }

    @Test
    void methodsOfARouteCanBeChosen() throws Exception {
        assertThat(send(payments.request("/put", "a").method("PUT")).problem()).isEqualTo("key-missing");
        assertThat(send(payments.request("/put", "a").method("PUT").key("k")).status())
                .isEqualTo(201);
        assertThat(send(payments.request("/put", "a").method("PUT").key("k")).replayed())
                .isTrue();
        assertThat(send(payments.request("/put", "a")).status()).isEqualTo(201);
    }

    @Test
    void pathWithoutAPolicyOfItsOwnRequiresAKey() throws Exception {
        assertThat(send(payments.request("/another", "a")).problem()).isEqualTo("key-missing");
    }

    // ---- the key -------------------------------------------------------------------------------------------------

    @Test
    void missingKeyIsRefusedWithALinkToTheDocumentation() throws Exception {
        Answer answer = send(payments.request("/payments", "a"));

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.problem()).isEqualTo("key-missing");
        assertThat(answer.header("Link")).isEqualTo("<https://payments.example/idempotency>; rel=\"describedby\"");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
        assertThat(payments.effects).isEmpty();
    }

    @Test
    void quotedKeyAndBareTokenAreTheSameKeyUnlessTheRouteIsStrict() throws Exception {
        assertThat(post("/payments", "\"k\"", "a").replayed()).isFalse();
        assertThat(post("/payments", "k", "a").replayed()).isTrue();

        assertThat(post("/strict", "s", "a").problem()).isEqualTo("key-invalid");
        assertThat(post("/strict", "\"s\"", "a").status()).isEqualTo(201);
        assertThat(payments.effects).hasSize(2);
    }

    @Test
    void malformedKeysAreRefused() throws Exception {
        String longest = "x".repeat(255);
        assertThat(post("/payments", longest, "a").status()).isEqualTo(201);
        for (String key :
                List.of("a, b", "a b", "\"a b\"", "\"a\", \"b\"", "\"a", "a\"", "\"\"", "\"a\";p=1", longest + "x")) {
            Answer answer = post("/payments", key, "refused");
            assertThat(answer.status()).as(key).isEqualTo(400);
            assertThat(answer.problem()).as(key).isEqualTo("key-invalid");
            assertThat(answer.header("Link")).contains("describedby");
            assertThat(answer.body()).doesNotContain(longest);
        }
        assertThat(send(payments.request("/payments", "refused").key("a").key("a"))
                        .problem())
                .isEqualTo("key-invalid");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void fallbackHeaderCountsOnlyWhereTheRouteSaysSo() throws Exception {
        assertThat(send(payments.request("/payments", "a").header("X-Request-Id", "k"))
                        .problem())
                .isEqualTo("key-missing");
        assertThat(send(payments.request("/fallback", "a").header("X-Request-Id", "k"))
                        .status())
                .isEqualTo(201);
        assertThat(send(payments.request("/fallback", "a").header("X-Request-Id", "k"))
                        .replayed())
                .isTrue();
        assertThat(send(payments.request("/fallback", "b").header("X-Request-Id", "k"))
                        .problem())
                .isEqualTo("key-reused");
        assertThat(send(payments.request("/fallback", "a")).problem()).isEqualTo("key-missing");
        assertThat(send(payments.request("/fallback", "c")
                                .header("X-Request-Id", "k")
                                .key("own"))
                        .status())
                .isEqualTo(201);
        assertThat(send(payments.request("/fallback", "d").key("\"own")).problem())
                .isEqualTo("key-invalid");
        assertThat(payments.effects).containsExactly("a", "c");
    }

    @Test
    void keyThatCarriesItsTimeExpires() throws Exception {
        String fresh = uuidV7(Payments.NOW.minus(Duration.ofHours(23)));
        String old = uuidV7(Payments.NOW.minus(Duration.ofHours(25)));
        String ahead = uuidV7(Payments.NOW.plus(Duration.ofHours(25)));

        assertThat(post("/timed", fresh, "a").status()).isEqualTo(201);
        Answer expired = post("/timed", old, "b");
        assertThat(expired.status()).isEqualTo(412);
        assertThat(expired.problem()).isEqualTo("key-expired");
        assertThat(post("/timed", ahead, "c").problem()).isEqualTo("key-invalid");
        assertThat(post("/timed", "no-time", "d").status()).isEqualTo(201);
        assertThat(post("/timed", "1-1-7000-1-1", "e").status()).isEqualTo(201);
        assertThat(payments.effects).containsExactly("a", "d", "e");
    }

    @Test
    void everyAnswerOfARouteTellsTheLifetimeOfItsKeys() throws Exception {
        String told = Long.toString(Duration.ofHours(24).toSeconds());

        Answer first = post("/lasting", "k", "a");
        Answer replay = post("/lasting", "k", "a");
        Answer reused = post("/lasting", "k", "b");
        Answer missing = send(payments.request("/lasting", "a"));

        assertThat(List.of(first.status(), replay.status(), reused.status(), missing.status()))
                .containsExactly(201, 201, 422, 400);
        assertThat(List.of(first, replay, reused, missing))
                .allSatisfy(answer ->
                        assertThat(answer.header("Idempotency-Key-Lifetime")).isEqualTo(told));
        assertThat(post("/transfers/1", "k2", "a").header("Idempotency-Key-Lifetime"))
                .isEmpty();
    }

    private static String uuidV7(Instant time) {
        return new UUID(time.toEpochMilli() << 16 | 0x7abc, 0x8123456789abcdefL).toString();
    }

    // ---- scope and fingerprint -----------------------------------------------------------------------------------

    @Test
    void requestOfNobodyIsRefused() throws Exception {
        Answer answer = send(payments.request("/payments", "a").key("k").header("Caller", "nobody"));

        assertThat(answer.status()).isEqualTo(401);
        assertThat(answer.problem()).isEqualTo("caller-unknown");
        assertThat(payments.effects).isEmpty();
    }

    @Test
    void otherMethodPathQueryOrBodyUnderTheKeyIsRefused() throws Exception {
        for (String path : List.of("/payments", "/transfers/1")) {
            assertThat(post(path, "k", "a").status()).isEqualTo(201);
            for (Request other : List.of(
                    payments.request(path, "b").key("k"),
                    payments.request(path + "?q=1", "a").key("k"),
                    payments.request(path, "a").method("PATCH").key("k"))) {
                Answer answer = send(other);
                assertThat(answer.status()).isEqualTo(422);
                assertThat(answer.problem()).isEqualTo("key-reused");
            }
        }
        assertThat(post("/transfers/2", "k", "a").problem()).isEqualTo("key-reused");
        assertThat(payments.effects).containsExactly("a", "a");
    }

    // ---- outcomes ------------------------------------------------------------------------------------------------

    @Test
    void replayHasTheOriginalStatusAndBodyAndAllowListedHeaders() throws Exception {
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.replayed()).isFalse();
        assertThat(first.header("Set-Cookie")).isNotEmpty();
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(retry.header("Content-Type")).isEqualTo(first.header("Content-Type"));
        assertThat(retry.header("Location")).isEqualTo("/transfers/1");
        assertThat(retry.header("Set-Cookie")).isEmpty();
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void replayOfTheUseCaseStyleIsMarked() throws Exception {
        Answer first = post("/payments", "k", "a");
        Answer retry = post("/payments", "k", "a");

        assertThat(first.replayed()).isFalse();
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void requestIsOutstandingWhileItsLeaderIsAtWork() throws Exception {
        for (String path : List.of("/payments", "/transfers/1")) {
            CountDownLatch working = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            payments.transfer = (request, response) -> {
                working.countDown();
                awaitQuietly(goOn);
                response.setStatus(201);
            };
            payments.work = () -> {
                working.countDown();
                awaitQuietly(goOn);
            };
            CompletableFuture<Answer> leader = CompletableFuture.supplyAsync(() -> {
                try {
                    return Client.JDK.send(payments.request(path, "a").key("k"));
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            working.await();
            Answer retry = post(path, "k", "a");
            goOn.countDown();

            assertThat(retry.status()).isEqualTo(409);
            assertThat(retry.problem()).isEqualTo("request-outstanding");
            assertThat(retry.header("Retry-After")).isEqualTo("1");
            assertThat(leader.join().status()).isEqualTo(201);
            assertThat(post(path, "k", "a").replayed()).isTrue();
        }
        assertThat(payments.effects).containsExactly("a", "a");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void attemptThatFailedNeedsANewKey() throws Exception {
        payments.work = () -> {
            throw new IllegalArgumentException("secret");
        };
        assertThat(post("/payments", "k", "a").status()).isEqualTo(500);
        payments.work = () -> {};
        Answer retry = post("/payments", "k", "a");

        assertThat(retry.status()).isEqualTo(422);
        assertThat(retry.problem()).isEqualTo("attempt-failed");
        assertThat(retry.body())
                .contains("\"retryable\":false", "card-declined")
                .doesNotContain("secret");
        assertThat(payments.effects).isEmpty();

        assertThat(post("/payments", "another", "a").status()).isEqualTo(201);
        assertThat(post("/payments", "k", "a").problem()).isEqualTo("attempt-failed");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void unreachableStoreIs503AndNothingRuns() throws Exception {
        for (String path : List.of("/payments", "/transfers/1")) {
            payments.store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
            Answer answer = post(path, "k", "a");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.problem()).isEqualTo("store-unavailable");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThat(payments.effects).isEmpty();
        }
        for (String path : List.of("/payments", "/transfers/1")) {
            assertThat(post(path, "k", "a").status()).isEqualTo(201);
        }
    }

    // ---- what is stored ------------------------------------------------------------------------------------------

    @Test
    void answersWithoutAnEffectReleaseTheKey() throws Exception {
        for (int status : List.of(400, 401, 403, 409, 422, 429)) {
            payments.effects.clear();
            payments.transfer = (request, response) -> {
                response.setStatus(status);
                response.getWriter().write("no");
            };
            Answer refused = post("/transfers/1", "k-" + status, "wrong");
            payments.transfer = (request, response) -> response.setStatus(201);

            assertThat(refused.status()).isEqualTo(status);
            assertThat(refused.body()).isEqualTo("no");
            assertThat(post("/transfers/1", "k-" + status, "corrected").status())
                    .isEqualTo(201);
        }
    }

    @Test
    void executed4xxIsStoredWhereAsked() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(404);
            response.getWriter().write("no such account");
        };
        assertThat(post("/transfers/1", "k", "a").status()).isEqualTo(404);
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(retry.status()).isEqualTo(404);
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo("no such account");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void unproven5xxIsNeverStoredAndNeverRunAgain() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(502);
            response.getWriter().write("upstream");
        };
        Answer first = post("/transfers/1", "k", "a");
        payments.transfer = (request, response) -> response.setStatus(201);

        assertThat(first.status()).isEqualTo(502);
        assertThat(first.body()).isEqualTo("upstream");
        assertThat(post("/transfers/1", "k", "a").problem()).isEqualTo("request-outstanding");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void unresolvedRequestIsHealedByItsLookUp() throws Exception {
        payments.transfer = (request, response) -> {
            throw new IllegalStateException("after the effect");
        };
        assertThat(post("/transfers/1", "k", "a").status()).isEqualTo(500);
        assertThat(post("/transfers/1", "k", "a").problem()).isEqualTo("request-outstanding");
        payments.found = Optional.of(
                StoredResponse.of(201, "text/plain", new byte[] {'o', 'k'}).withHeader("Location", "/transfers/7"));
        Answer healed = post("/transfers/1", "k", "a");

        assertThat(healed.status()).isEqualTo(201);
        assertThat(healed.replayed()).isTrue();
        assertThat(healed.body()).isEqualTo("ok");
        assertThat(healed.header("Location")).isEqualTo("/transfers/7");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void unresolvedRequestIsResolvedByAnOperator() throws Exception {
        payments.transfer = (request, response) -> {
            throw new IllegalStateException("before the effect");
        };
        assertThat(post("/transfers/1", "k", "a").status()).isEqualTo(500);
        assertThat(payments.style.resolveFailed(Payments.transferKey("k"), new Failure("not-sent", "")))
                .isPresent();

        assertThat(post("/transfers/1", "k", "a").problem()).isEqualTo("attempt-failed");
    }

    @Test
    void largerAnswerThanIsKeptIsSentOnceAndNeverRunAgain() throws Exception {
        String large = "x".repeat(5000);
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.setHeader("Location", "/transfers/9");
            response.getWriter().write(large);
        };
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(first.body()).isEqualTo(large);
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.problem()).isEqualTo("answer-not-kept");
        assertThat(retry.header("Location")).isEqualTo("/transfers/9");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void errorPageOfTheContainerIsReplayedAsOne() throws Exception {
        payments.transfer = (request, response) -> response.sendError(404, "no such account");
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(first.status()).isEqualTo(404);
        assertThat(retry.status()).isEqualTo(404);
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo(first.body()).contains("no such account");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void redirectIsReplayed() throws Exception {
        payments.transfer = (request, response) -> response.sendRedirect("/transfers/8");
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(List.of(first.status(), retry.status())).containsOnly(302);
        assertThat(List.of(first.header("Location"), retry.header("Location"))).containsOnly("/transfers/8");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void forwardIsNotFilteredAgain() throws Exception {
        assertThat(post("/forwarding", "k", "a").status()).isEqualTo(201);
        assertThat(post("/forwarding", "k", "a").replayed()).isTrue();
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void forwardAndIncludeOfTheUseCaseStyleAreNotFilteredAgain() throws Exception {
        for (String way : List.of("/forward", "/include")) {
            payments.effects.clear();
            // Without quotes: the route that it is passed on to would refuse it.
            Answer first = post(way, "k" + way, "a");
            Answer retry = post(way, "k" + way, "a");

            assertThat(first.body()).isEqualTo("{\"receipt\":\"r-a\"}");
            assertThat(retry.body()).isEqualTo(first.body());
            assertThat(payments.effects).containsExactly("a");
        }
    }

    @Test
    void errorPageThatAHandlerWritesIsNotFilteredAgain() throws Exception {
        payments.transfer = (request, response) -> response.sendError(410);
        payments.before = payments.transfer;
        for (String path : List.of("/payments", "/transfers/1")) {
            Answer answer = post(path, "k", "a");

            assertThat(answer.status()).isEqualTo(410);
            assertThat(answer.body()).isEqualTo("page of ERROR");
        }
    }

    @Test
    void errorPageWithoutAMessageIsReplayedAsOne() throws Exception {
        payments.transfer = (request, response) -> {
            response.getOutputStream().print("never seen");
            response.sendError(404);
            assertThat(response.isCommitted()).isTrue();
            assertThatThrownBy(() -> response.sendError(404)).isInstanceOf(IllegalStateException.class);
            response.getOutputStream().print("neither is this");
        };
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo(first.body()).contains("404").doesNotContain("seen", "neither");
    }

    @Test
    void answerWithoutContentIsReplayedWithout() throws Exception {
        payments.transfer = (request, response) -> response.setStatus(204);
        Answer first = post("/transfers/1", "k", "a");
        Answer retry = post("/transfers/1", "k", "a");

        assertThat(List.of(first.status(), retry.status())).containsOnly(204);
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.header("Content-Length")).isEmpty();
    }

    /** Jetty would drop it from a 204; another container may send it, which no 204 may have. */
    @Test
    void lengthOfAnAnswerIsSetOnlyWhereThereIsABody() throws Exception {
        List<Integer> lengths = new CopyOnWriteArrayList<>();
        try (TestServer server = new TestServer()) {
            server.handle(
                            "/*",
                            (request, response) -> StoredResponse.of(
                                            request.getMethod().equals("PUT") ? 201 : 204,
                                            "text/plain",
                                            request.getInputStream().readAllBytes())
                                    .writeTo(new HttpServletResponseWrapper(response) {
                                        @Override
                                        public void setContentLength(int length) {
                                            lengths.add(length);
                                            super.setContentLength(length);
                                        }
                                    }))
                    .start();
            Answer empty = send(Request.to(server.uri("/empty")));
            assertThat(empty.status()).isEqualTo(204);
            assertThat(lengths).isEmpty();
            Answer full = send(Request.to(server.uri("/full")).method("PUT").body("made"));
            assertThat(full.body()).isEqualTo("made");
            assertThat(lengths).containsExactly(4);
        }
    }

    @Test
    void headersOfEveryReplayAreInTheOrderOfTheirNames() throws Exception {
        List<String> names = List.of(
                "Cache-Control",
                "Content-Disposition",
                "Content-Language",
                "Content-Location",
                "ETag",
                "Last-Modified",
                "Link",
                "Location",
                "Vary");
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            for (int i = names.size() - 1; i >= 0; i--) {
                response.setHeader(names.get(i), "en");
            }
        };
        assertThat(post("/transfers/1", "k", "a").replayed()).isFalse();

        assertThat(payments.rawAnswer("/transfers/1", "k", "a")
                        .lines()
                        .filter(line -> line.endsWith(": en"))
                        .map(line -> line.substring(0, line.indexOf(':'))))
                .containsExactlyElementsOf(names);
    }

    /** What is sent stays sent: no problem is appended to it, and the container learns of it. */
    @Test
    void refusalBehindAnAnswerThatIsOnItsWayGoesToTheContainer() throws Exception {
        payments.before = (request, response) -> {
            response.getWriter().write("begun");
            response.flushBuffer();
            payments.storeIsGone();
        };

        assertThat(payments.rawAnswer("/payments", "k", "a")).contains("begun").doesNotContain("idempotency");
        assertThat(payments.thrown).singleElement().asString().contains("NotStartedException");
        assertThat(payments.effects).isEmpty();
    }

    // ---- the store fails after the effect ------------------------------------------------------------------------

    @Test
    void unknownOutcomeIs503AndNeverStored() throws Exception {
        payments.work = () -> {
            payments.store.at(StoreCall.COMMIT).losesAnswer();
            payments.storeIsGone();
        };
        Answer answer = post("/payments", "k", "a");
        payments.store.disarm();

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.problem()).isEqualTo("outcome-unknown");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        // The commit did arrive.
        Answer retry = post("/payments", "k", "a");
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isTrue();
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void externalEffectThatIsNotRecordedIsNeverMadeAgain() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.getWriter().write("made");
            payments.store.at(StoreCall.SUCCEED).fails(Fault.CONNECTION_LOST);
            payments.storeIsGone();
        };
        Answer first = post("/transfers/1", "k", "a");
        payments.store.disarm();

        assertThat(first.status()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("made");
        assertThat(post("/transfers/1", "k", "a").problem()).isEqualTo("request-outstanding");
        payments.found = Optional.of(StoredResponse.of(201, "text/plain", new byte[] {'o', 'k'}));
        assertThat(post("/transfers/1", "k", "a").body()).isEqualTo("ok");
        assertThat(payments.effects).containsExactly("a");
    }

    /** An operator resolves the key while the handler is at work: what the record says is the answer for everybody. */
    @Test
    void whereTheRecordAnswersNothingOfTheHandlersAnswerIsLeft() throws Exception {
        StoredResponse resolved = StoredResponse.of(200, "text/plain", new byte[] {'o', 'k'});
        for (String what : List.of("small", "larger-than-is-kept", "page")) {
            payments.transfer = (request, response) -> {
                response.setStatus(201);
                response.setHeader("Content-Encoding", "gzip");
                response.setHeader("Set-Cookie", "session=secret");
                response.setHeader("Outer", "changed");
                response.setContentType("text/html");
                if (what.equals("page")) {
                    response.sendError(404, "handler");
                } else {
                    response.getWriter().write("handler".repeat(what.equals("small") ? 1 : 1000));
                }
                assertThat(CompletableFuture.supplyAsync(
                                        () -> payments.style.resolveSucceeded(Payments.transferKey(what), resolved))
                                .join())
                        .isPresent();
            };
            Answer answer = send(payments.request("/transfers/1", "a").key(what).header("Outer", "x"));

            assertThat(answer.status()).as(what).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("ok");
            assertThat(answer.replayed()).isTrue();
            assertThat(answer.header("Content-Type")).as(what).startsWith("text/plain");
            assertThat(answer.header("Content-Encoding") + answer.header("Set-Cookie"))
                    .isEmpty();
            assertThat(answer.header("Outer")).isEqualTo("one, two");
        }
    }

    @Test
    void answerThatIsOnItsWayStaysAsItIs() throws Exception {
        String large = "x".repeat(5000);
        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.getWriter().write(large);
            response.flushBuffer();
            assertThat(CompletableFuture.supplyAsync(() -> payments.style.resolveSucceeded(
                                    Payments.transferKey("k"), StoredResponse.of(200, "text/plain", new byte[0])))
                            .join())
                    .isPresent();
        };
        Answer answer = post("/transfers/1", "k", "a");

        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.body()).isEqualTo(large);
        assertThat(post("/transfers/1", "k", "a").status()).isEqualTo(200);
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void problemOfAHandlerManagedCallDiscardsWhatWasWritten() throws Exception {
        assertThat(post("/payments", "k", "a").status()).isEqualTo(201);
        payments.before = (request, response) -> {
            response.setHeader("Content-Encoding", "gzip");
            response.setCharacterEncoding("UTF-16");
            response.getWriter().write("half");
        };
        Answer reused = send(payments.request("/payments", "b").key("k").header("Outer", "x"));

        assertThat(reused.problem()).isEqualTo("key-reused");
        assertThat(reused.body()).startsWith("{\"type\"");
        assertThat(reused.header("Content-Encoding")).isEmpty();
        assertThat(reused.header("Outer")).isEqualTo("one, two");
    }

    @Test
    void resultsThatCannotBeReadOrStoredAreSaidToBeAndNeverMadeAgain() throws Exception {
        assertThat(post("/badly-read", "k", "a").status()).isEqualTo(200);
        Answer unreadable = post("/badly-read", "k", "a");
        Answer unstorable = post("/badly-written", "k", "b");

        assertThat(unreadable.status()).isEqualTo(500);
        assertThat(unreadable.problem()).isEqualTo("result-unreadable");
        assertThat(unstorable.status()).isEqualTo(500);
        assertThat(unstorable.problem()).isEqualTo("result-unstorable");
        assertThat(post("/badly-written", "k", "b").problem()).isEqualTo("attempt-failed");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void requestBodyThatIsTooLargeIsRefused() throws Exception {
        Answer answer = post("/payments", "k", "x".repeat(10_001));

        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.problem()).isEqualTo("body-too-large");
        assertThat(post("/payments", "k", "x".repeat(10_000)).status()).isEqualTo(201);
        assertThat(payments.effects).hasSize(1);
    }
}
