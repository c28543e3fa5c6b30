package io.counterpoint.idempotency.client;

import org.jspecify.annotations.Nullable;

/**
 * What became of a call: one type for each way in which it can end.
 *
 * <p>A refusal speaks of its own try only. Where an earlier try of the call may have had an effect, a refusal of a later one
 * is {@link Unknown}. A call that goes on with a key from before has such a try.
 *
 * @param <R> the response
 */
public sealed interface CallResult<R> {

    /**
     * The key of all tries.
     *
     * @return the key, with which the same request may be sent again
     */
    CallKey key();

    /**
     * Whether the call is over: another try with the same key would get the same.
     *
     * @return true if the result will not change
     */
    default boolean isDefinite() {
        return false;
    }

    /**
     * Carried out, now or before.
     *
     * @param key the key of all tries
     * @param response the service's answer
     * @param replayed whether it was carried out by an earlier request, and this is the stored answer
     * @param <R> the response
     */
    record Succeeded<R>(CallKey key, R response, boolean replayed) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * Carried out, but the response does not say so: its answer was too large to keep, cannot be read or is not for this caller
     * any more, or a replay has a status from 400, such as 406. Look the effect up; a new call would have a second one.
     *
     * @param key the key of all tries
     * @param problem why; by its member {@code reference}, the service may find the effect
     * @param response the replay; null where the answer is one of the filter's problems
     * @param <R> the response
     */
    record CarriedOut<R>(
            CallKey key, Problem problem, @Nullable R response) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * The service itself rejected the request, with a status from 400 to 499 that is none of the filter's problems, no replay,
     * and not marked with {@code Idempotency-May-Have-Effect}. What it means is the service's to say.
     *
     * @param key the key of all tries
     * @param response the service's answer
     * @param <R> the response
     */
    record Rejected<R>(CallKey key, R response) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * The attempt has ended without an effect. To try again, make a new call, with a new key.
     *
     * @param key the key of all tries
     * @param problem why
     * @param <R> the response
     */
    record Failed<R>(CallKey key, Problem problem) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * The service received the key with a different request. This request had no effect.
     *
     * @param key the key of all tries
     * @param problem the service's answer
     * @param <R> the response
     */
    record KeyReused<R>(CallKey key, Problem problem) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * Rejected before the key was looked up, without an effect: the key did not arrive or is malformed, the request is
     * malformed or too large, or the caller is not known.
     *
     * @param key the key of all tries
     * @param problem what to correct
     * @param <R> the response
     */
    record Refused<R>(CallKey key, Problem problem) implements CallResult<R> {}

    /**
     * The key is too old: the service may have forgotten it, and would carry the request out again. Find out what became
     * of the call; send the key no more.
     *
     * @param key the key of all tries
     * @param problem the service's answer; null if this client did not send the key, see {@link
     *     CallSettings.Builder#keyLifetime}
     * @param <R> the response
     */
    record KeyExpired<R>(CallKey key, @Nullable Problem problem) implements CallResult<R> {}

    /**
     * Given up while the service had the same request at work, or was waiting for its end. Go on later with the same key.
     *
     * @param key the key of all tries
     * @param problem the last answer
     * @param <R> the response
     */
    record InProgress<R>(CallKey key, Problem problem) implements CallResult<R> {}

    /**
     * Given up, and no try of this call has started anything. Go on later with the same key; after {@code not-started}, when
     * the service is repaired.
     *
     * @param key the key of all tries
     * @param problem the last answer; null if there was none
     * @param failure why there was no answer; null if there was one
     * @param <R> the response
     */
    record NotStarted<R>(
            CallKey key,
            @Nullable Problem problem,
            @Nullable Exception failure) implements CallResult<R> {}

    /**
     * Carried out or not: no answer says which. Go on later with the same key and the same request, until there is a
     * definite result. A new key could have a second effect.
     *
     * @param key the key of all tries
     * @param problem the last answer; null if there was none
     * @param response the last answer as the service's own; null if there was none, or a try without one
     * @param failure why there was no answer; null if there was one
     * @param <R> the response
     */
    record Unknown<R>(
            CallKey key,
            @Nullable Problem problem,
            @Nullable R response,
            @Nullable Exception failure) implements CallResult<R> {}
}
