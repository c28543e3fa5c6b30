package io.counterpoint.idempotency.client;

import org.jspecify.annotations.Nullable;

/**
 * The result of a call: one type for each way in which it can end.
 *
 * <p>A rejection applies only to its own try. If an earlier try of the call may have had an effect, the rejection of a
 * later one is {@link Unknown}. A call that continues with an earlier key has such a try.
 *
 * @param <R> the response
 */
public sealed interface CallResult<R> {

    /**
     * Returns the key of all tries.
     *
     * @return the key, with which the same request may be resent
     */
    CallKey key();

    /**
     * Returns whether the call is over: another try with the same key would have the same result.
     *
     * @return true if the result will not change
     */
    default boolean isDefinite() {
        return false;
    }

    /**
     * Carried out, now or earlier.
     *
     * @param key the key of all tries
     * @param response the service's response
     * @param replayed whether an earlier request carried it out and this is the stored response
     * @param <R> the response
     */
    record Succeeded<R>(CallKey key, R response, boolean replayed) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * Carried out, although the response does not show it: the original response was too large to store, cannot be read
     * or is no longer available to this caller, or a replay has a status of 400 or above, such as 406. Look up the
     * effect; a new call would have a second one.
     *
     * @param key the key of all tries
     * @param problem why; its member {@code reference} may let the service find the effect
     * @param response the replay; null if the response is one of the filter's problems
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
     * The service itself rejected the request, with a status from 400 to 499 that is not one of the filter's problems,
     * not a replay, and not marked with {@code Idempotency-May-Have-Effect}. Its meaning is defined by the service.
     *
     * @param key the key of all tries
     * @param response the service's response
     * @param <R> the response
     */
    record Rejected<R>(CallKey key, R response) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * The attempt has ended without an effect. To try again, make a new call with a new key.
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
     * @param problem the service's response
     * @param <R> the response
     */
    record KeyReused<R>(CallKey key, Problem problem) implements CallResult<R> {
        @Override
        public boolean isDefinite() {
            return true;
        }
    }

    /**
     * Rejected without an effect before the key was looked up: the key did not arrive or is malformed, the request is
     * malformed or too large, or the caller is unknown.
     *
     * @param key the key of all tries
     * @param problem what to fix
     * @param <R> the response
     */
    record Refused<R>(CallKey key, Problem problem) implements CallResult<R> {}

    /**
     * The key is too old: the service may have forgotten it and would carry out the request again. Find out the outcome
     * of the call, and don't send the key any more.
     *
     * @param key the key of all tries
     * @param problem the service's response; null if this client did not send the key, see {@link
     *     CallSettings.Builder#keyLifetime}
     * @param <R> the response
     */
    record KeyExpired<R>(CallKey key, @Nullable Problem problem) implements CallResult<R> {}

    /**
     * Given up while the service was processing the same request or waiting for its outcome. Continue later with the
     * same key.
     *
     * @param key the key of all tries
     * @param problem the last response
     * @param <R> the response
     */
    record InProgress<R>(CallKey key, Problem problem) implements CallResult<R> {}

    /**
     * Given up, and no try of this call has started anything. Continue later with the same key; after {@code
     * not-started}, once the service is fixed.
     *
     * @param key the key of all tries
     * @param problem the last response; null if there was none
     * @param failure why there was no response; null if there was one
     * @param <R> the response
     */
    record NotStarted<R>(
            CallKey key,
            @Nullable Problem problem,
            @Nullable Exception failure) implements CallResult<R> {}

    /**
     * It is unknown whether the request was carried out. Continue later with the same key and the same request until
     * there is a definite result. A new key could have a second effect.
     *
     * @param key the key of all tries
     * @param problem the last response; null if there was none
     * @param response the last response, if it is the service's own; null if there was none, or for a try without one
     * @param failure why there was no response; null if there was one
     * @param <R> the response
     */
    record Unknown<R>(
            CallKey key,
            @Nullable Problem problem,
            @Nullable R response,
            @Nullable Exception failure) implements CallResult<R> {}
}
