package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.function.CheckedFunction;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** External work that begins in its call and completes later. The thread that completes the work records its end. */
final class AsyncExternal<C, R> {

    private final Call<C, R> call;
    private final CompletableFuture<R> effect;

    private AsyncExternal(Call<C, R> call, CompletableFuture<R> effect) {
        this.call = call;
        this.effect = effect;
    }

    /** Completes the stage with whatever is thrown. */
    static <C, R> CompletionStage<Outcome<R>> execute(
            OperationSettings<C, R> settings,
            Request request,
            CheckedFunction<IdempotencyKey, CompletionStage<R>, Exception> work) {
        CompletableFuture<R> effect = new CompletableFuture<>();
        UserCode.Work<C, R> beginning = (handle, key, plan) -> {
            work.apply(key).whenComplete((result, thrown) -> complete(effect, result, thrown));
            throw new External.EndsLater();
        };
        try {
            return new AsyncExternal<>(new Call<>(settings, request, Optional.empty(), beginning), effect).execute();
        } catch (Throwable thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private static <R> void complete(CompletableFuture<R> effect, @Nullable R result, @Nullable Throwable thrown) {
        if (result != null) {
            effect.complete(result);
        } else if (thrown == null) {
            effect.completeExceptionally(new UserCode.WithoutResult(
                    "the work completed with null; complete it with Done.DONE if there is nothing to return"));
        } else {
            Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : null;
            effect.completeExceptionally(cause == null ? thrown : cause);
        }
    }

    private CompletionStage<Outcome<R>> execute() {
        // Work that has already completed is followed up after this call, just like work that completes later.
        Next<R> last = Nesting.notNested(call.key, () -> call.bounded(() -> new Engine<>(call).run(Optional.empty())));
        return last instanceof Next.Started<R> started
                ? whenEnded(started)
                : CompletableFuture.completedFuture(((Next.Answer<R>) last).outcome());
    }

    private CompletableFuture<Outcome<R>> whenEnded(Next.Started<R> started) {
        CompletableFuture<Outcome<R>> answer = new CompletableFuture<>();
        CompletionStage<R> ended = effect;
        ended.whenComplete((result, thrown) -> {
            try {
                answer.complete(call.bounded(() -> outcome(started, result, thrown)));
            } catch (Throwable refused) {
                answer.completeExceptionally(refused);
            }
        });
        return answer;
    }

    private Outcome<R> outcome(Next.Started<R> started, @Nullable R result, @Nullable Throwable thrown) {
        External<C, R> external = new External<>(call);
        if (result != null) {
            return succeeded(external, started, result);
        }
        Throwable cause = Objects.requireNonNull(thrown);
        // Throws unless the record is no longer this leader's.
        Next<R> unused = external.failed(started.token(), cause);
        return call.doubt.budget().isLeft() ? superseded(cause) : call.inProgress(Optional.empty());
    }

    /** A follow-up is work and must not run on a thread that is inside other work. */
    private Outcome<R> succeeded(External<C, R> external, Next.Started<R> started, R result) {
        if (!started.protocol().owesFollowUp()) {
            return new Engine<>(call).outcomeOf(external.succeeded(started.protocol(), started.token(), result, false));
        }
        call.effectIsKnown(result, started.token());
        return Nesting.notNested(
                call.key,
                () -> new Engine<>(call)
                        .outcomeOf(external.succeeded(started.protocol(), started.token(), result, false)));
    }

    private Outcome<R> superseded(Throwable thrown) {
        Optional<Outcome<R>> told;
        try {
            told = call.read().map(new Follower<>(call)::tell);
        } catch (IdempotencyException unreadable) {
            throw unreadable;
        } catch (RuntimeException unread) {
            throw call.nothingLearned(unread);
        }
        return told.orElseThrow(() -> call.endWith(thrown, Optional.empty()));
    }
}
