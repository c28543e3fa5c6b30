package io.counterpoint.idempotency.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a try means for its call: the call ends, or another try follows. */
sealed interface Verdict<R> {

    /** The call is over. */
    record End<R>(CallResult<R> result, CompletionStage<Void> bodyRead) implements Verdict<R> {
        End(CallResult<R> result) {
            this(result, CompletableFuture.completedStage(null));
        }
    }

    /** The same request is sent again. */
    record Again<R>(
            Open open,
            @Nullable Problem problem,
            @Nullable Exception failure,
            Optional<String> retryAfter,
            Optional<Duration> keyLifetime)
            implements Verdict<R> {

        /** The result if no other try follows. */
        CallResult<R> givenUp(CallKey key, boolean inDoubt) {
            if (open == Open.IN_PROGRESS && problem != null) {
                return new CallResult.InProgress<>(key, problem);
            }
            return inDoubt
                    ? new CallResult.Unknown<>(key, problem, null, failure)
                    : new CallResult.NotStarted<>(key, problem, failure);
        }
    }

    /** What is known about a try without a result. */
    enum Open {
        NOT_STARTED,
        IN_PROGRESS,
        UNKNOWN
    }

    /** Returns the verdict on a try without a response. */
    static <R> Verdict<R> lost(Exception failure, boolean neverSent) {
        return new Again<>(
                neverSent ? Open.NOT_STARTED : Open.UNKNOWN, null, failure, Optional.empty(), Optional.empty());
    }

    /**
     * Returns the verdict on a try with a response.
     *
     * @param before whether an earlier try may have had an effect, in which case a rejection of this one is not
     *     definite, just as if the service reports a possible effect of this one
     */
    static <R> Verdict<R> of(Reply<R> reply, CallKey key, boolean before, Set<Integer> carriedOutBy) {
        boolean inDoubt = before || reply.mayHaveEffect();
        Problem problem = reply.problem();
        if (problem.type().isEmpty()) {
            return ofStatus(reply, key, inDoubt, carriedOutBy);
        }
        return switch (problem.type().get()) {
            case KEY_MISSING, KEY_INVALID, REQUEST_MALFORMED, CALLER_UNKNOWN, BODY_TOO_LARGE ->
                refusal(new CallResult.Refused<>(key, problem), reply, inDoubt);
            case NOT_STARTED -> refusal(new CallResult.NotStarted<>(key, problem, null), reply, inDoubt);
            case KEY_REUSED -> refusal(new CallResult.KeyReused<>(key, problem), reply, inDoubt);
            case RESULT_UNSTORABLE -> refusal(new CallResult.Failed<>(key, problem), reply, inDoubt);
            case ATTEMPT_FAILED -> refusal(new CallResult.Failed<>(key, problem), reply, reply.mayHaveEffect());
            case KEY_EXPIRED -> new End<>(new CallResult.KeyExpired<>(key, problem));
            case REPLAY_REFUSED, RESULT_UNREADABLE, ANSWER_NOT_KEPT ->
                new End<>(new CallResult.CarriedOut<>(key, problem, null));
            case REQUEST_OUTSTANDING -> again(Open.IN_PROGRESS, reply);
            case TOO_MANY_UNRESOLVED, STORE_UNAVAILABLE -> again(Open.NOT_STARTED, reply);
            case OUTCOME_UNKNOWN -> again(Open.UNKNOWN, reply);
            case OUTCOME_UNRESOLVED -> new End<>(new CallResult.Unknown<>(key, problem, reply.response(), null));
        };
    }

    private static <R> Verdict<R> ofStatus(Reply<R> reply, CallKey key, boolean inDoubt, Set<Integer> carriedOutBy) {
        int status = reply.problem().status();
        if (reply.response() == null) {
            return switch (status) {
                case Status.CONFLICT -> again(Open.IN_PROGRESS, reply);
                case Status.TOO_EARLY, Status.TOO_MANY_REQUESTS -> again(Open.NOT_STARTED, reply);
                default -> again(Open.UNKNOWN, reply);
            };
        }
        R response = Objects.requireNonNull(reply.response());
        if (carriedOutBy.contains(status) || isCarriedOut(status, reply.replayed())) {
            return new End<>(new CallResult.Succeeded<>(key, response, reply.replayed()));
        }
        if (status < Status.CLIENT_ERROR) {
            // It may be the service's response to a request that it carried out, or a proxy's to one that it did not
            // forward.
            return new End<>(new CallResult.Unknown<>(key, reply.problem(), response, null));
        }
        if (reply.replayed() && !reply.mayHaveEffect()) {
            return new End<>(new CallResult.CarriedOut<>(key, reply.problem(), response));
        }
        return refusal(new CallResult.Rejected<>(key, response), reply, inDoubt);
    }

    private static boolean isCarriedOut(int status, boolean replayed) {
        return (status >= Status.OK && status < Status.REDIRECTION)
                || status == Status.SEE_OTHER
                || (replayed && status < Status.CLIENT_ERROR);
    }

    private static <R> Verdict<R> refusal(CallResult<R> result, Reply<R> reply, boolean inDoubt) {
        return new End<>(
                inDoubt ? new CallResult.Unknown<>(result.key(), reply.problem(), reply.response(), null) : result);
    }

    private static <R> Verdict<R> again(Open open, Reply<R> reply) {
        return new Again<>(
                open == Open.NOT_STARTED && reply.mayHaveEffect() ? Open.UNKNOWN : open,
                reply.problem(),
                null,
                reply.retryAfter(),
                reply.keyLifetime());
    }
}
