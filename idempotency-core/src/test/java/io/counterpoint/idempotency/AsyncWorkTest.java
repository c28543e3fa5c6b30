package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** External work that begins on the caller's thread and ends later. */
class AsyncWorkTest {

    private final List<String> events = new ArrayList<>();
    private final IdempotencyListener listener = IdempotencyListener.on(
                    IdempotencyEvent.Claimed.class, event -> events.add("claimed"))
            .andThen(IdempotencyListener.on(IdempotencyEvent.Succeeded.class, event -> events.add("succeeded")))
            .andThen(
                    IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> events.add("commit unknown")))
            .andThen(IdempotencyListener.on(IdempotencyEvent.Released.class, event -> events.add("released")));

    private final Idempotency<?> idempotency = Idempotency.builder(new InMemoryIdempotencyStore())
            .listener(listener)
            .build();

    private final ExternalOperation<String> charge = idempotency
            .external("charge", ResultCodec.string(), unresolved -> Lookup.notYet())
            .noEffectWhen(thrown -> thrown instanceof IllegalArgumentException)
            .releaseWhenNoEffect(thrown -> thrown instanceof IOException)
            .build();
    private final Attempt attempt = Attempt.inScope("user:42").key("k").withoutRequest();
    private final CompletableFuture<String> effect = new CompletableFuture<>();

    private Outcome<String> retry() {
        return charge.execute(attempt, key -> {
            throw new AssertionError("the work ran twice");
        });
    }

    @Test
    void attemptIsInProgressUntilItsStageCompletesAndExecutedThen() throws Exception {
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();

        assertThat(answer).isNotDone();
        assertThat(retry()).isInstanceOf(Outcome.InProgress.class);
        effect.complete("paid");

        assertThat(answer.get()).isEqualTo(new Outcome.Executed<>(charge.keyOf(attempt), "paid"));
        assertThat(retry()).isEqualTo(new Outcome.Replayed<>(charge.keyOf(attempt), "paid"));
        assertThat(events).containsExactly("claimed", "succeeded");
    }

    @Test
    void followerIsAnsweredAtOnceAndBeginsNothing() throws Exception {
        assertThat(charge.execute(attempt, key -> "paid").orElseThrow()).isEqualTo("paid");

        CompletionStage<Outcome<String>> answer = charge.executeAsync(attempt, key -> {
            throw new AssertionError("the work ran twice");
        });

        assertThat(answer.toCompletableFuture().getNow(null).orElseThrow()).isEqualTo("paid");
    }

    @Test
    void stageThatFailsProvesNothing() {
        IllegalStateException thrown = new IllegalStateException("timeout");
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        effect.completeExceptionally(new CompletionException(thrown));

        assertThatThrownBy(answer::get)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown);
        assertThat(retry()).isInstanceOf(Outcome.InProgress.class);
        assertThat(events).containsExactly("claimed", "commit unknown");
    }

    @Test
    void workThatThrowsBeforeItHasAStageProvesNothingEither() {
        CompletableFuture<Outcome<String>> answer = charge.executeAsync(attempt, key -> {
                    throw new InterruptedException();
                })
                .toCompletableFuture();

        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(answer::get).hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(retry()).isInstanceOf(Outcome.InProgress.class);
    }

    @Test
    void declaredNoEffectFailsTheAttemptWithTheSameObject() {
        IllegalArgumentException thrown = new IllegalArgumentException("refused");
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        effect.completeExceptionally(thrown);

        assertThatThrownBy(answer::get).cause().isSameAs(thrown);
        assertThat(retry()).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void declaredReleaseFreesTheKey() {
        IOException thrown = new IOException("refused");
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        effect.completeExceptionally(thrown);

        assertThatThrownBy(answer::get).cause().isSameAs(thrown);
        assertThat(charge.execute(attempt, key -> "paid"))
                .isEqualTo(new Outcome.Executed<>(charge.keyOf(attempt), "paid"));
        assertThat(events).containsExactly("claimed", "released", "claimed", "succeeded");
    }

    @Test
    void leaderThatIsResolvedMeanwhileReturnsWhatIsStored() throws Exception {
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        assertThat(charge.resolveSucceeded(charge.keyOf(attempt), "found")).isPresent();
        effect.complete("paid");

        assertThat(answer.get().orElseThrow()).isEqualTo("found");
    }

    @Test
    void leaderThatFailsAfterItWasResolvedReturnsWhatIsStored() throws Exception {
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        assertThat(charge.resolveSucceeded(charge.keyOf(attempt), "found")).isPresent();
        effect.completeExceptionally(new IllegalArgumentException("refused"));

        assertThat(answer.get().orElseThrow()).isEqualTo("found");
    }

    @Test
    void nullResultIsUnknownAndNeverRunAgain() {
        CompletableFuture<Outcome<String>> answer =
                charge.executeAsync(attempt, key -> effect).toCompletableFuture();
        effect.complete(null);

        assertThatThrownBy(answer::get)
                .cause()
                .isInstanceOf(OutcomeUnknownException.class)
                .hasStackTraceContaining("completed with null");
        assertThat(retry()).isInstanceOf(Outcome.InProgress.class);
    }

    @Test
    void threadMayCallAgainWhileTheWorkGoesOn() {
        CompletionStage<Outcome<String>> answer = charge.executeAsync(attempt, key -> effect);
        Attempt another = Attempt.inScope("user:42").key("another").withoutRequest();

        assertThat(charge.execute(another, key -> "paid").orElseThrow()).isEqualTo("paid");
        assertThat(answer.toCompletableFuture()).isNotDone();
    }

    @Test
    void callInsideACallIsRefused() {
        assertThatThrownBy(() -> charge.execute(attempt, key -> {
                    assertThatThrownBy(() -> assertThat(charge.executeAsync(attempt, inner -> effect))
                                    .isNotNull())
                            .isInstanceOf(IllegalStateException.class);
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
