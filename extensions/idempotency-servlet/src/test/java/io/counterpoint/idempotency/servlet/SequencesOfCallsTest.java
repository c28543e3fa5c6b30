package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Two to four protected calls in one request, with any keys and ends: no answer says that nothing was done, or frees the key,
 * where one of them may have had an effect.
 */
@Tag("thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SequencesOfCallsTest {

    private static final Set<String> DENIALS = Set.of(
            "attempt-failed", "key-reused", "not-started", "store-unavailable", "request-malformed", "key-missing");

    enum Key {
        OWN,
        ATTEMPT,
        DERIVED
    }

    enum End {
        SUCCEEDS(true),
        IN_PROGRESS(true),
        UNKNOWN(true),
        THROWS(false),
        REJECTED(false),
        REUSED(false),
        MISSES_A_VALUE(false);

        final boolean mayHaveEffect;

        End(boolean mayHaveEffect) {
            this.mayHaveEffect = mayHaveEffect;
        }
    }

    record Call(Key key, End end) {}

    /** What the application's code throws, and its exception handler answers with 400. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
            Idempotency.on(new InMemoryIdempotencyStore());
    private volatile List<Call> calls = List.of();
    private final AtomicInteger number = new AtomicInteger();

    private final TestServer server = new TestServer()
            .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                    .route(
                            "/stored",
                            RoutePolicy.required()
                                    .responses(FilterManaged.storedIn(idempotency, "stored")
                                            .unresolvedAtMost(Integer.MAX_VALUE)
                                            .build()))
                    .build())
            .handle("/", this::handle)
            .handle("/stored", this::handle);

    @BeforeAll
    void start() {
        server.start();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static Stream<Call> all() {
        return Stream.of(Key.values()).flatMap(key -> Stream.of(End.values()).map(end -> new Call(key, end)));
    }

    private static Stream<List<Call>> sequences() {
        List<Call> each = all().toList();
        Stream<List<Call>> pairs = each.stream().flatMap(first -> each.stream().map(second -> List.of(first, second)));
        Random random = new Random(1);
        return Stream.concat(
                pairs,
                IntStream.range(0, 600)
                        .mapToObj(n -> random.ints(3 + n % 2, 0, each.size())
                                .mapToObj(each::get)
                                .toList()));
    }

    @Test
    void noAnswerDeniesAnEffectOfAnyCallOfItsRequest() {
        assertThat(sequences().flatMap(it -> wrongOf("/", it).stream()).toList())
                .isEmpty();
    }

    /** On its own thread they are refused, being inside the filter's. On others, those with the attempt are known. */
    @Test
    void filterDoesNotFreeAKeyWhoseHandlerMadeACallThatMayHaveAnEffect() {
        assertThat(sequences()
                        .filter(it -> it.stream().noneMatch(call -> call.key() == Key.OWN))
                        .flatMap(it -> wrongOf("/stored", it).stream())
                        .toList())
                .isEmpty();
    }

    private List<String> wrongOf(String path, List<Call> sequence) {
        calls = sequence;
        number.incrementAndGet();
        boolean mayHaveEffect = sequence.stream().anyMatch(call -> call.end().mayHaveEffect);
        Answer first = post(path);
        boolean denies = DENIALS.contains(first.problem())
                || (first.problem().isEmpty()
                        && first.status() >= 400
                        && first.status() < 500
                        && first.header("Idempotency-May-Have-Effect").isEmpty());
        List<String> wrong = new ArrayList<>();
        if (denies && mayHaveEffect) {
            wrong.add(path + " " + sequence + " was denied: " + first);
        }
        if (!denies && !mayHaveEffect) {
            wrong.add(path + " " + sequence + " was not denied: " + first);
        }
        if (path.equals("/stored") && mayHaveEffect) {
            Answer retry = post(path);
            if (!retry.replayed() && !retry.problem().equals("request-outstanding")) {
                wrong.add(path + " " + sequence + " freed the key: " + first + ", then " + retry);
            }
        }
        return wrong;
    }

    private Answer post(String path) {
        try {
            return Client.JDK.send(
                    Request.to(server.uri(path)).key("\"k" + number + "\"").body("a"));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void handle(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Attempt attempt = IdempotentRequest.of(request).attempt();
        for (int i = 0; i < calls.size(); i++) {
            boolean last = i == calls.size() - 1;
            try {
                if (IdempotentRequest.of(request).key().isPresent()) {
                    elsewhere(calls.get(i), i, attempt);
                } else {
                    make(calls.get(i), i, attempt);
                }
            } catch (Refusal refusal) {
                if (last && calls.get(i).end() == End.MISSES_A_VALUE) {
                    new Problems(Problems.PAGE, Duration.ofSeconds(1))
                            .write(ProblemType.REQUEST_MALFORMED, "Nothing was done.", request, response);
                } else if (last) {
                    response.sendError(400);
                }
            } catch (IdempotencyException ours) {
                if (last) {
                    IdempotentRequest.of(request).answer(ours);
                }
            }
        }
    }

    private void make(Call call, int place, Attempt attempt) {
        String name = "operation-" + place;
        Attempt mine = switch (call.key()) {
            case OWN -> Attempt.inScope("user:1").key("own-" + number).request("a");
            case ATTEMPT -> attempt;
            case DERIVED -> attempt.derive("part-" + place);
        };
        Operation<InMemoryIdempotencyStore.Transaction, String> operation =
                idempotency.operation(name, ResultCodec.string()).build();
        ExternalOperation<String> external = idempotency
                .external(name, ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        String unused = switch (call.end()) {
            case SUCCEEDS -> operation.execute(mine, transaction -> "done").orElseThrow();
            case THROWS -> fails(operation, mine);
            case MISSES_A_VALUE -> throw new Refusal();
            case REJECTED -> {
                before(() -> fails(operation, sameKey(mine, name, mine.request())));
                yield operation.execute(mine, transaction -> "done").orElseThrow();
            }
            case REUSED -> {
                before(() -> operation
                        .execute(sameKey(mine, name, Fingerprint.ofParts("other")), transaction -> "other")
                        .orElseThrow());
                yield operation.execute(mine, transaction -> "done").orElseThrow();
            }
            case IN_PROGRESS -> {
                before(() -> {
                    var unusedStage = external.executeAsync(
                            sameKey(mine, name, mine.request()), key -> new CompletableFuture<>());
                });
                yield external.execute(mine, key -> "done").orElseThrow();
            }
            case UNKNOWN -> external.execute(mine, key -> unanswered()).orElseThrow();
        };
    }

    private static String unanswered() {
        throw new IllegalArgumentException("No answer.");
    }

    private static String fails(Operation<InMemoryIdempotencyStore.Transaction, String> operation, Attempt attempt) {
        return operation
                .execute(attempt, transaction -> {
                    throw new Refusal();
                })
                .orElseThrow();
    }

    private static Attempt sameKey(Attempt attempt, String operation, Fingerprint fingerprint) {
        IdempotencyKey key = attempt.keyFor(operation);
        return Attempt.inScope(key.scope()).key(key.value()).fingerprint(fingerprint);
    }

    private void elsewhere(Call call, int place, Attempt attempt) {
        try {
            CompletableFuture.runAsync(() -> make(call, place, attempt)).join();
        } catch (CompletionException ended) {
            throw (RuntimeException) ended.getCause();
        }
    }

    /** What an earlier request did, on a thread of its own. */
    private static void before(Runnable earlier) {
        CompletableFuture.runAsync(earlier).exceptionally(refusal -> null).join();
    }
}
