package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.AttemptAlreadyUsedException;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An attempt of which each operation gives one result, by every way to execute it. */
class OneResultEachTest {

    private static final Attempt PLAIN = Attempt.inScope("user:1").key("k").request("r");

    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
            Idempotency.on(new InMemoryIdempotencyStore());
    private final Operation<InMemoryIdempotencyStore.Transaction, String> inside =
            idempotency.operation("inside", ResultCodec.string()).build();
    private final PlannedOperation<InMemoryIdempotencyStore.Transaction, String> plannedInside =
            idempotency.operation("inside", ResultCodec.string()).planned().build();
    private final ExternalOperation<String> outside = idempotency
            .external("outside", ResultCodec.string(), unresolved -> Lookup.notYet())
            .build();
    private final PlannedExternalOperation<String> plannedOutside = idempotency
            .external("outside", ResultCodec.string(), unresolved -> Lookup.notYet())
            .planned()
            .build();
    private final List<String> runs = new ArrayList<>();
    private boolean failing;
    /** What counts the attempt that was made last. */
    private CallEffects calls;

    private Runnable during = () -> {};

    /** A way to execute an attempt. */
    record Way(String name, BiFunction<OneResultEachTest, Attempt, Outcome<String>> call) {
        @Override
        public String toString() {
            return name;
        }
    }

    private Attempt counted(Attempt attempt) {
        calls = new CallEffects();
        return attempt.countedBy(calls);
    }

    private String run() {
        runs.add("run");
        during.run();
        if (failing) {
            throw new IllegalArgumentException("declined");
        }
        return "result";
    }

    static Stream<Way> ways() {
        return Stream.of(
                new Way("execute", (test, attempt) -> test.inside.execute(attempt, handle -> test.run())),
                new Way(
                        "planned",
                        (test, attempt) ->
                                test.plannedInside.execute(attempt, () -> "plan", (handle, plan) -> test.run())),
                new Way("external", (test, attempt) -> test.outside.execute(attempt, key -> test.run())),
                new Way(
                        "external, planned",
                        (test, attempt) ->
                                test.plannedOutside.execute(attempt, () -> "plan", (key, plan) -> test.run())),
                new Way(
                        "external, asynchronous",
                        (test, attempt) -> test.outside
                                .executeAsync(attempt, key -> CompletableFuture.completedFuture(test.run()))
                                .toCompletableFuture()
                                .join()),
                new Way(
                        "batch in one transaction",
                        (test, attempt) -> test.batch(Batch.inOneTransaction(test.inside), attempt)),
                new Way(
                        "batch of each its own",
                        (test, attempt) -> test.batch(Batch.inOwnTransactions(test.inside), attempt)));
    }

    private Outcome<String> batch(Batch<InMemoryIdempotencyStore.Transaction, String> batch, Attempt attempt) {
        return batch.executeEach(List.of(attempt), (handle, one) -> run())
                .get(0)
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void secondResultOfAnAttemptIsRefusedBeforeAnything(Way way) {
        Attempt attempt = counted(PLAIN);
        assertThat(way.call().apply(this, attempt)).isInstanceOf(Outcome.Executed.class);

        assertThatThrownBy(() -> way.call().apply(this, attempt))
                .isInstanceOf(AttemptAlreadyUsedException.class)
                .hasMessageContaining("derive")
                .hasMessageNotContaining("user:1");
        assertThat(runs).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void replayForAnotherRequestIsItsOneResult(Way way) {
        assertThat(way.call().apply(this, counted(PLAIN))).isInstanceOf(Outcome.Executed.class);

        Attempt retry = counted(PLAIN);
        assertThat(way.call().apply(this, retry)).isInstanceOf(Outcome.Replayed.class);
        assertThatThrownBy(() -> way.call().apply(this, retry)).isInstanceOf(AttemptAlreadyUsedException.class);
        assertThat(way.call().apply(this, PLAIN)).isInstanceOf(Outcome.Replayed.class);
        assertThat(way.call().apply(this, PLAIN)).isInstanceOf(Outcome.Replayed.class);
        assertThat(runs).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void partsHaveKeysOfTheirOwnAndOneResultEach(Way way) {
        Attempt attempt = counted(PLAIN);
        assertThat(way.call().apply(this, attempt)).isInstanceOf(Outcome.Executed.class);
        assertThat(way.call().apply(this, attempt.derive("1"))).isInstanceOf(Outcome.Executed.class);
        assertThat(way.call().apply(this, attempt.derive("2"))).isInstanceOf(Outcome.Executed.class);
        assertThat(way.call().apply(this, PLAIN.derive("2"))).isInstanceOf(Outcome.Replayed.class);

        assertThatThrownBy(() -> way.call().apply(this, attempt.derive("2")))
                .isInstanceOf(AttemptAlreadyUsedException.class);
        assertThat(runs).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void attemptKnowsThatACallHasAnEffect(Way way) {
        Attempt attempt = counted(PLAIN);
        assertThat(calls.mayExist()).isFalse();
        assertThat(way.call().apply(this, attempt.derive("1"))).isInstanceOf(Outcome.Executed.class);
        assertThat(calls.mayExist()).isTrue();

        Attempt retry = counted(PLAIN);
        assertThat(way.call().apply(this, retry.derive("1"))).isInstanceOf(Outcome.Replayed.class);
        assertThat(calls.mayExist()).isTrue();
        assertThatThrownBy(() -> way.call().apply(this, retry.derive("1")))
                .isInstanceOf(AttemptAlreadyUsedException.class);
        assertThat(calls.mayExist()).isTrue();

        Attempt other = counted(Attempt.inScope("user:1").key("k").request("other"));
        assertThat(way.call().apply(this, other.derive("1"))).isInstanceOf(Outcome.KeyReused.class);
        assertThat(calls.mayExist()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void attemptKnowsWhetherAFailedCallMayHaveAnEffect(Way way) {
        boolean unknown = way.name().startsWith("external");
        failing = true;
        Attempt attempt = counted(PLAIN);
        assertThatThrownBy(() -> way.call().apply(this, attempt));
        assertThat(calls.mayExist()).isEqualTo(unknown);

        Attempt retry = counted(PLAIN);
        assertThat(way.call().apply(this, retry))
                .isInstanceOf(unknown ? Outcome.InProgress.class : Outcome.Rejected.class);
        assertThat(calls.mayExist()).isEqualTo(unknown);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void callThatIsUnderWayMayHaveAnEffect(Way way) {
        Attempt attempt = counted(PLAIN);
        List<Boolean> meanwhile = new ArrayList<>();
        during = () -> meanwhile.add(calls.mayExist());
        failing = true;
        assertThatThrownBy(() -> way.call().apply(this, attempt));

        assertThat(meanwhile).isNotEmpty().containsOnly(true);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void callThatEndsByAnErrorMayHaveAnEffect(Way way) {
        Attempt attempt = counted(PLAIN);
        during = () -> {
            throw new OutOfMemoryError("between two lines");
        };
        assertThatThrownBy(() -> way.call().apply(this, attempt));

        assertThat(calls.mayExist()).isTrue();
    }

    @Test
    void externalFailureThatProvesNoEffectLeavesNoDoubt() {
        ExternalOperation<String> declared = idempotency
                .external("declared", ResultCodec.string(), unresolved -> Lookup.notYet())
                .noEffectWhen(thrown -> thrown instanceof IllegalArgumentException)
                .build();
        Attempt attempt = counted(PLAIN);
        failing = true;
        assertThat(declared.executeAsync(attempt, key -> CompletableFuture.completedFuture(run())))
                .isCompletedExceptionally();

        assertThat(calls.mayExist()).isFalse();
    }

    @Test
    void doubtEndsWithTheAnswerOfALaterCall() {
        Attempt attempt = counted(PLAIN);
        failing = true;
        assertThatThrownBy(() -> outside.execute(attempt, key -> run()));
        assertThat(outside.execute(attempt, key -> run())).isInstanceOf(Outcome.InProgress.class);
        outside.resolveFailed(outside.keyOf(attempt), Failure.of(new IllegalStateException()));

        assertThat(calls.mayExist()).isTrue();
        assertThat(outside.execute(attempt, key -> run())).isInstanceOf(Outcome.Rejected.class);
        assertThat(calls.mayExist()).isFalse();
    }

    @Test
    void callThatHasNotStartedLeavesTheDoubtOfAnEarlierOne() {
        Attempt attempt = counted(PLAIN);
        failing = true;
        assertThatThrownBy(() -> outside.execute(attempt, key -> run()));
        assertThatThrownBy(() -> plannedOutside.execute(
                        attempt,
                        () -> {
                            throw new IllegalArgumentException("no plan");
                        },
                        (key, plan) -> run()))
                .hasMessage("no plan");

        assertThat(calls.mayExist()).isTrue();
    }

    @Test
    void sameAttemptTwiceInOneBatchIsExecutedOnceAndRefusedOnce() {
        Attempt attempt = counted(PLAIN);
        List<BatchResult<String>> answers =
                Batch.inOneTransaction(inside).executeEach(List.of(attempt, attempt, PLAIN), (handle, one) -> run());

        assertThat(answers.get(0).orElseThrow()).isInstanceOf(Outcome.Executed.class);
        assertThatThrownBy(() -> answers.get(1).orElseThrow()).isInstanceOf(AttemptAlreadyUsedException.class);
        assertThat(answers.get(2).orElseThrow()).isInstanceOf(Outcome.Replayed.class);
        assertThat(runs).hasSize(1);
    }

    @Test
    void partNeedsAName() {
        for (String name : List.of("", " ", "line 2")) {
            assertThatThrownBy(() -> PLAIN.derive(name)).isInstanceOf(InvalidKeyException.class);
        }
    }

    @Test
    void failureOfAnAttemptIsNoResult() {
        Attempt attempt = counted(PLAIN);
        assertThatThrownBy(() -> {
                    Outcome<String> unused = inside.execute(attempt, handle -> {
                        throw new IllegalArgumentException("declined");
                    });
                })
                .hasMessage("declined");

        assertThat(inside.execute(attempt, handle -> run())).isInstanceOf(Outcome.Rejected.class);
        assertThat(inside.execute(attempt, handle -> run())).isInstanceOf(Outcome.Rejected.class);
        assertThat(runs).isEmpty();
    }

    @Test
    void operationsDoNotShareTheirResults() {
        Attempt attempt = counted(PLAIN);
        assertThat(inside.execute(attempt, handle -> run())).isInstanceOf(Outcome.Executed.class);
        assertThat(outside.execute(attempt, key -> run())).isInstanceOf(Outcome.Executed.class);
    }
}
