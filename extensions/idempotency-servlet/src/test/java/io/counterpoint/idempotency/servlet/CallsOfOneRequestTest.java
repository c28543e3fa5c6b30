package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.InProgressException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.AsyncContext;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several calls within one request, all with its attempt: none is dropped in silence. */
class CallsOfOneRequestTest {

    private final FaultyStore<InMemoryIdempotencyStore.Transaction> store =
            FaultyStore.around(new InMemoryIdempotencyStore());
    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency = Idempotency.on(store);
    private final Operation<InMemoryIdempotencyStore.Transaction, String> credit = operation("credit");
    private final Operation<InMemoryIdempotencyStore.Transaction, String> notify = operation("notify");
    private final List<String> effects = new CopyOnWriteArrayList<>();

    private volatile TestServer.Handler handler = (request, response) -> {};

    private final TestServer server = new TestServer()
            .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous()).build())
            .handle("/", (request, response) -> handler.handle(request, response))
            .start();

    @AfterEach
    void stop() {
        server.close();
    }

    private Operation<InMemoryIdempotencyStore.Transaction, String> operation(String name) {
        return idempotency
                .operation(name, ResultCodec.string())
                .waitAtMost(Duration.ofSeconds(30))
                .settleWithin(Duration.ofMillis(200))
                .build();
    }

    private String call(
            Operation<InMemoryIdempotencyStore.Transaction, String> operation, Attempt attempt, String effect) {
        return operation
                .execute(attempt, transaction -> {
                    transaction.onCommit(() -> effects.add(effect));
                    return effect;
                })
                .orElseThrow();
    }

    /** What the handler does with the attempt of its request. */
    private void handles(Consumer<Attempt> calls) {
        handler = (request, response) ->
                calls.accept(IdempotentRequest.of(request).attempt());
    }

    private Answer post() throws Exception {
        return post("a");
    }

    private Answer post(String body) throws Exception {
        return Client.JDK.send(Request.to(server.uri("/")).key("\"k\"").body(body));
    }

    @Test
    void secondCallOfAnOperationIsRefusedAndNotDropped() throws Exception {
        handles(attempt -> {
            call(credit, attempt, "first");
            call(credit, attempt, "second");
        });

        assertThat(post().status()).isEqualTo(500);
        assertThat(post().status()).isEqualTo(500);
        assertThat(effects).containsExactly("first");
    }

    @Test
    void failureOfTheSecondOperationDoesNotDenyTheEffectOfTheFirst() throws Exception {
        handles(attempt -> {
            call(credit, attempt, "credited");
            fail(notify, attempt);
        });

        assertThat(post().status()).isEqualTo(500);
        Answer retry = post();

        assertThat(effects).containsExactly("credited");
        assertUnresolved(retry);
    }

    @Test
    void failureBeforeTheEffectDoesNotDenyItAfterwards() throws Exception {
        handles(attempt -> {
            RuntimeException failure = failureOf(notify, attempt);
            call(credit, attempt, "credited");
            throw failure;
        });

        assertThat(post().status()).isEqualTo(500);
        assertUnresolved(post());
        assertThat(effects).containsExactly("credited");
    }

    @Test
    void failureOfAPartDoesNotDenyTheEffectOfAnotherPart() throws Exception {
        handles(attempt -> {
            call(credit, attempt.derive("line-1"), "line 1");
            fail(credit, attempt.derive("line-2"));
        });

        assertThat(post().status()).isEqualTo(500);
        assertUnresolved(post());
        assertThat(effects).containsExactly("line 1");
    }

    @Test
    void failureDoesNotDenyTheEffectOfABatch() throws Exception {
        handles(attempt -> {
            String unused = Batch.inOneTransaction(credit)
                    .executeEach(List.of(attempt), (transaction, one) -> "credited")
                    .get(0)
                    .orElseThrow()
                    .orElseThrow();
            fail(notify, attempt);
        });

        assertThat(post().status()).isEqualTo(500);
        assertUnresolved(post());
    }

    @Test
    void failureDoesNotDenyAnEffectThatMayBeThere() throws Exception {
        ExternalOperation<String> charge = external("charge");
        List<Throwable> first = new ArrayList<>();
        handles(attempt -> {
            try {
                String unused = charge.<RuntimeException>execute(attempt, key -> {
                            throw new IllegalStateException("no answer");
                        })
                        .orElseThrow();
            } catch (IdempotencyException unknown) {
                first.add(unknown);
            }
            fail(notify, attempt);
        });

        assertThat(post().status()).isEqualTo(500);
        assertUnresolved(post());
        assertThat(first.get(0)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(first.get(1)).isInstanceOf(InProgressException.class);
    }

    @Test
    void failureDoesNotDenyAnEffectThatIsUnderWay() throws Exception {
        ExternalOperation<String> charge = external("charge");
        handles(attempt -> fail(notify, attempt));
        assertThat(post().status()).isEqualTo(500);
        assertThat(post().problem()).isEqualTo("attempt-failed");

        CompletableFuture<String> charged = new CompletableFuture<>();
        handles(attempt -> {
            var unused = charge.executeAsync(attempt, key -> charged);
            fail(notify, attempt);
        });
        assertUnresolved(post());
    }

    @Test
    void effectThatIsUnderWayWithAKeyOfItsOwnIsNotDenied() throws Exception {
        ExternalOperation<String> charge = external("charge");
        handles(attempt -> call(notify, attempt, "notified"));
        assertThat(post("a").status()).isEqualTo(200);

        handles(attempt -> {
            var unused = charge.executeAsync(
                    Attempt.inScope("user:1").key("own").request("a"), key -> new CompletableFuture<>());
            call(notify, attempt, "notified again");
        });
        assertUnresolved(post("b"));
    }

    @Test
    void errorWhoseStatusWasSetBeforeTheEffectIsMarked() throws Exception {
        handler = (request, response) -> {
            response.setStatus(404);
            call(credit, IdempotentRequest.of(request).attempt(), "credited");
            response.getOutputStream().write(new byte[100_000]);
        };

        assertThat(post().header("Idempotency-May-Have-Effect")).isEqualTo("true");
    }

    /** One takes no key of this path. */
    @Test
    void refusalBehindTwoFiltersFreesItsKey() throws Exception {
        FilterManaged stored = FilterManaged.storedIn(idempotency, "stored").build();
        try (TestServer twice = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(RoutePolicy.off())
                        .build())
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(RoutePolicy.required().responses(stored))
                        .build())
                .handle("/", (request, response) -> response.setStatus(409))
                .start()) {
            for (int tries = 0; tries < 2; tries++) {
                Answer answer =
                        Client.JDK.send(Request.to(twice.uri("/")).key("\"k\"").body("a"));
                assertThat(answer.problem()).isEmpty();
                assertThat(answer.header("Idempotency-May-Have-Effect")).isEmpty();
            }
        }
    }

    @Test
    void anotherRequestUnderTheSameKeyDoesNotProveThatTheFirstHasNoEffect() throws Exception {
        ExternalOperation<String> charge = external("charge");
        handles(attempt -> {
            try {
                String unused = charge.<RuntimeException>execute(
                                Attempt.inScope("user:1").key("own").request("a"), key -> {
                                    throw new IllegalStateException("no answer");
                                })
                        .orElseThrow();
            } catch (OutcomeUnknownException unknown) {
                String unused = charge.execute(
                                Attempt.inScope("user:1").key("own").request("b"), key -> "charged again")
                        .orElseThrow();
            }
        });

        assertUnresolved(post());
    }

    @Test
    void keyThatTheSecondOperationRefusesIsNotToBeReplaced() throws Exception {
        handles(attempt -> call(notify, attempt, "notified"));
        assertThat(post("a").status()).isEqualTo(200);
        handles(attempt -> {
            call(credit, attempt, "credited");
            call(notify, attempt, "notified again");
        });

        assertUnresolved(post("b"));
        assertThat(effects).containsExactly("notified", "credited");
    }

    @Test
    void resultThatCannotBeStoredDoesNotDenyTheEffectOfTheFirst() throws Exception {
        var limited = idempotency
                .operation("limited", ResultCodec.string())
                .maxResultBytes(1)
                .build();
        handles(attempt -> {
            call(credit, attempt, "credited");
            call(limited, attempt, "too large");
        });

        assertUnresolved(post());
        assertThat(effects).containsExactly("credited");
    }

    @Test
    void planThatCannotBeStoredDoesNotDenyTheEffectOfTheFirst() throws Exception {
        var limited = idempotency
                .operation("limited", ResultCodec.string())
                .maxResultBytes(1)
                .planned()
                .build();
        handles(attempt -> {
            call(credit, attempt, "credited");
            String unused = limited.execute(attempt, () -> "too large", (transaction, plan) -> {})
                    .orElseThrow();
        });

        assertUnresolved(post());
        assertThat(effects).containsExactly("credited");
    }

    @Test
    void storeThatIsDownForTheSecondOperationIsAskedAgainWithTheSameKey() throws Exception {
        handles(attempt -> {
            call(credit, attempt, "credited");
            for (int tries = 0; tries < 100; tries++) {
                store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
            }
            try {
                call(notify, attempt, "notified");
            } finally {
                store.disarm();
            }
        });

        Answer answer = post();

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.problem()).isEqualTo("outcome-unknown");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        assertThat(answer.body()).contains("Retry with the same key.").doesNotContain("Nothing was done");
        assertThat(effects).containsExactly("credited");
    }

    @Test
    void frameworksThatAnswerBesideTheFilterDoNotDenyTheEffectEither() throws Exception {
        List<IdempotencyException> failures = new ArrayList<>();
        Problems problems = new Problems(Problems.PAGE, Duration.ofSeconds(1));
        handler = (request, response) -> {
            IdempotentRequest known = IdempotentRequest.of(request);
            call(credit, known.attempt(), "credited");
            if (failureOf(notify, known.attempt()) instanceof IdempotencyException failure) {
                failures.add(failure);
                known.answer(failure);
            }
        };
        assertThat(post().status()).isEqualTo(200);
        assertUnresolved(post());

        handler = (request, response) -> {
            call(credit, IdempotentRequest.of(request).attempt(), "credited");
            problems.write(failures.get(0), request, response);
        };
        assertUnresolved(post());

        for (ProblemType refusal : List.of(ProblemType.REQUEST_MALFORMED, ProblemType.BODY_TOO_LARGE)) {
            handler = (request, response) -> {
                call(credit, IdempotentRequest.of(request).attempt(), "credited");
                problems.write(refusal, "Nothing was done.", request, response);
            };
            assertUnresolved(post());
        }
    }

    @Test
    void requestWhoseOperationsHaveAllFailedHasNoEffect() throws Exception {
        handles(attempt -> {
            RuntimeException unused = failureOf(credit, attempt);
            fail(notify, attempt);
        });

        assertThat(post().status()).isEqualTo(500);
        Answer retry = post();
        assertThat(retry.problem()).isEqualTo("attempt-failed");
        assertThat(retry.body()).contains("It had no effect. To try again, use a new key.", "\"failure\"");
    }

    private ExternalOperation<String> external(String name) {
        return idempotency
                .external(name, ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
    }

    private static RuntimeException failureOf(
            Operation<InMemoryIdempotencyStore.Transaction, String> operation, Attempt attempt) {
        try {
            fail(operation, attempt);
        } catch (RuntimeException failure) {
            return failure;
        }
        throw new AssertionError("It has not failed.");
    }

    private static void fail(Operation<InMemoryIdempotencyStore.Transaction, String> operation, Attempt attempt) {
        String unused = operation
                .execute(attempt, transaction -> {
                    throw new IllegalStateException("not done");
                })
                .orElseThrow();
    }

    private static void assertUnresolved(Answer answer) {
        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body())
                .contains("#outcome-unresolved", "Part of it may have been carried out.")
                .doesNotContain("has no effect", "Nothing was done", "Use a new key", "\"failure\"");
    }

    private enum Call {
        NONE,
        ENDED,
        RUNNING,
        REFUSED
    }

    /** Each has a key of its own, and is made before the call that the request is answered with. */
    @ParameterizedTest
    @EnumSource
    void callsInTheThreadsOfAnAsynchronousHandlerCount(Call before) throws Exception {
        handles(attempt -> fail(notify, attempt));
        assertThat(post().status()).isEqualTo(500);
        call(credit, Attempt.inScope("user:1").key("of-nobody").request("a"), "before the request");
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        handler = (request, response) -> {
            IdempotentRequest known = IdempotentRequest.of(request);
            AsyncContext context = request.startAsync();
            threads.add(inThread(() -> {
                switch (before) {
                    case NONE -> {}
                    case ENDED ->
                        call(credit, Attempt.inScope("user:1").key("own").request("a"), "own");
                    case REFUSED -> {
                        RuntimeException unused = failureOf(
                                credit, Attempt.inScope("user:1").key("own").request("a"));
                    }
                    case RUNNING -> {
                        threads.add(inThread(() -> running(runs, answered)));
                        await(runs);
                    }
                }
                answer(known, failureOf(notify, known.attempt()));
                context.complete();
            }));
        };

        Answer answer = post();
        answered.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        if (before == Call.NONE || before == Call.REFUSED) {
            assertThat(answer.problem()).isEqualTo("attempt-failed");
        } else {
            assertUnresolved(answer);
        }
    }

    @Test
    void callsBesideTheThreadOfARequestCountAfterItWentAsynchronous() throws Exception {
        handles(attempt -> fail(notify, attempt));
        assertThat(post().status()).isEqualTo(500);
        handler = (request, response) -> {
            IdempotentRequest known = IdempotentRequest.of(request);
            AsyncContext context = request.startAsync();
            await(inThread(
                    () -> call(credit, Attempt.inScope("user:1").key("own").request("a"), "own")));
            answer(known, failureOf(notify, known.attempt()));
            context.complete();
        };
        assertUnresolved(post());
    }

    @Test
    void callsOfAThreadThatTheHandlerBindsCount() throws Exception {
        handles(attempt -> fail(notify, attempt));
        assertThat(post().status()).isEqualTo(500);
        handler = (request, response) -> {
            await(inThread(() -> {
                try (IdempotentRequest.Binding counted = IdempotentRequest.countOnThisThread(request)) {
                    assertThat(counted).isNotNull();
                    call(credit, Attempt.inScope("user:1").key("own").request("a"), "own");
                }
            }));
            fail(notify, IdempotentRequest.of(request).attempt());
        };
        assertUnresolved(post());
    }

    @Test
    void errorOfAnAsynchronousHandlerIsMarkedWhenItCompletes() throws Exception {
        handler = (request, response) -> {
            IdempotentRequest known = IdempotentRequest.of(request);
            response.setStatus(409);
            AsyncContext context = request.startAsync();
            Thread unused = inThread(() -> {
                call(credit, known.attempt(), "credited");
                request.getAsyncContext().complete();
            });
            assertThat(context).isNotNull();
        };
        Answer answer = post();
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.header("Idempotency-May-Have-Effect")).isEqualTo("true");
    }

    private static void await(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void running(CountDownLatch runs, CountDownLatch ends) {
        Outcome<String> unused =
                credit.execute(Attempt.inScope("user:1").key("own").request("a"), transaction -> {
                    runs.countDown();
                    await(ends);
                    return "own";
                });
    }

    private static void answer(IdempotentRequest known, RuntimeException failure) {
        try {
            known.answer((IdempotencyException) failure);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Thread inThread(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    @Test
    void secondCallIsRefusedWhereverTheRequestHasGone() throws Exception {
        handler = (request, response) -> {
            call(credit, IdempotentRequest.of(request).attempt(), "of " + request.getDispatcherType());
            if (request.getAttribute("forwarded") == null) {
                request.setAttribute("forwarded", true);
                request.getRequestDispatcher("/").forward(request, response);
            }
        };

        assertThat(post().status()).isEqualTo(500);
        assertThat(effects).containsExactly("of REQUEST");
    }

    @Test
    void secondCallByABatchIsRefusedAndNotDropped() throws Exception {
        handles(attempt -> {
            call(credit, attempt, "first");
            Batch.inOneTransaction(credit)
                    .executeEach(List.of(attempt), (transaction, one) -> {
                        transaction.onCommit(() -> effects.add("second"));
                        return "second";
                    })
                    .get(0)
                    .orElseThrow()
                    .orElseThrow();
        });

        assertThat(post().status()).isEqualTo(500);
        assertThat(effects).containsExactly("first");
    }

    @Test
    void ofTwoCallsAtOnceOneIsRefusedAndNotDropped() throws Exception {
        List<String> answers = new CopyOnWriteArrayList<>();
        AtomicReference<CompletableFuture<Void>> second = new AtomicReference<>();
        CountDownLatch secondBegins = new CountDownLatch(1);
        handles(attempt -> {
            Outcome<String> first = credit.execute(attempt, transaction -> {
                second.set(CompletableFuture.runAsync(() -> {
                    secondBegins.countDown();
                    answers.add(call(credit, attempt, "second"));
                }));
                await(secondBegins);
                transaction.onCommit(() -> effects.add("first"));
                return "first";
            });
            answers.add(first.orElseThrow());
            second.get().join();
        });

        assertThat(post().status()).isEqualTo(500);
        assertThat(effects).hasSize(1);
        assertThat(answers).hasSizeLessThanOrEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void twoOperationsOfOneRequestHaveOneEffectEach() throws Exception {
        List<String> answers = new ArrayList<>();
        handles(attempt -> {
            answers.add(call(credit, attempt, "credited") + call(notify, attempt, "notified"));
        });

        assertThat(post().status()).isEqualTo(200);
        assertThat(post().status()).isEqualTo(200);
        assertThat(effects).containsExactly("credited", "notified");
        assertThat(answers).containsExactly("creditednotified", "creditednotified");
    }

    @Test
    void callThatGotNoAnswerIsRepeatedWithinTheRequest() throws Exception {
        store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        for (int tries = 0; tries < 100; tries++) {
            store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        }
        List<Throwable> first = new ArrayList<>();
        handles(attempt -> {
            try {
                call(credit, attempt, "first");
            } catch (IdempotencyException notYet) {
                first.add(notYet);
                store.disarm();
                call(credit, attempt, "again");
            }
        });

        assertThat(post().status()).isEqualTo(200);
        assertThat(first).singleElement().isInstanceOf(NotStartedException.class);
        assertThat(effects).containsExactly("again");
    }

    @Test
    void callWhoseWorkFailedIsToldThatTheAttemptHasFailed() throws Exception {
        List<Throwable> second = new ArrayList<>();
        handles(attempt -> {
            try {
                String unused = credit.<RuntimeException>execute(attempt, transaction -> {
                            throw new IllegalArgumentException("declined");
                        })
                        .orElseThrow();
            } catch (IllegalArgumentException declined) {
                try {
                    call(credit, attempt, "again");
                } catch (RejectedException rejected) {
                    second.add(rejected);
                }
            }
        });

        assertThat(post().status()).isEqualTo(200);
        assertThat(second).hasSize(1);
        assertThat(effects).isEmpty();
    }
}
