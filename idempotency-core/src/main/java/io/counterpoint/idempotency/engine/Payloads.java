package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Encodes and decodes the results of one operation. The codec is user code, so it may throw anything.
 *
 * @param <R> the type of the result
 * @param codec the operation's codec
 * @param maxBytes the maximum size of an encoded result
 * @param withoutResult whether {@code Done} is the only result
 * @param asking for an operation whose plan is the request; null if the plan is the result
 */
public record Payloads<R>(
        ResultCodec<R> codec,
        int maxBytes,
        boolean withoutResult,
        @Nullable Asking<R> asking) {

    private static final Payload NOTHING = Payload.of(new byte[0]);

    /**
     * Turns a plan that is a request into the result.
     *
     * @param <R> the type of both
     */
    public interface Asking<R> {
        /**
         * Returns whether the plan contains its response.
         *
         * @param plan the request, possibly with its response
         * @return whether it is a result
         */
        boolean isAnswered(R plan);

        /**
         * Adds a response unless there already is one.
         *
         * @param plan the request
         * @param answer contains the response
         * @return the result
         */
        R complete(R plan, R answer);
    }

    boolean planIsResult() {
        return asking == null;
    }

    /** Whether a stored plan contains the result. */
    boolean isResult(R plan) {
        Asking<R> asks = asking;
        return asks == null || asks.isAnswered(plan);
    }

    /**
     * Returns the result stored with an unresolved attempt: its plan, or the result of its known effect.
     *
     * @param key the key
     * @param pending its record
     * @return the result, if the record contains it
     */
    public Optional<R> resultIn(IdempotencyKey key, Pending pending) {
        return decodePlan(key, pending).filter(this::isResult);
    }

    /** The result of an effect whose outcome was reported. */
    R complete(Optional<R> planned, R said) {
        Asking<R> asks = asking;
        return planned.map(plan -> asks == null ? plan : asks.complete(plan, said))
                .orElse(said);
    }

    /** The request, if a succeeded record keeps it without its response. */
    Optional<R> asked(IdempotencyKey key, Succeeded succeeded) {
        return asking == null
                ? Optional.empty()
                : succeeded.result().map(payload -> decode(Reason.RESULT_UNREADABLE, key, payload));
    }

    /** What every success will store, if that is known before the work. */
    Optional<Payload> known() {
        return withoutResult ? Optional.of(NOTHING) : Optional.empty();
    }

    Payload encode(Reason unstorable, IdempotencyKey key, R result) {
        byte[] bytes;
        try {
            bytes = codec.encode(key, result);
        } catch (Exception | Error thrown) {
            throw new UnstorableResultException(unstorable, key, unstorable.what() + ": the codec refuses it", thrown);
        }
        if (bytes == null) {
            throw new UnstorableResultException(
                    unstorable, key, unstorable.what() + ": the codec encoded it as null", null);
        }
        if (bytes.length > maxBytes) {
            throw new UnstorableResultException(
                    unstorable,
                    key,
                    unstorable.what() + ": it is " + bytes.length + " bytes long, which exceeds the limit of "
                            + maxBytes + "; make it smaller, or raise maxResultBytes",
                    null);
        }
        return Payload.of(bytes);
    }

    /** Encodes the result of an existing effect: a result that cannot be stored must not hide the effect. */
    Optional<Payload> encodeIfPossible(IdempotencyKey key, R result) {
        try {
            return Optional.of(encode(Reason.RESULT_UNSTORABLE, key, result));
        } catch (UnstorableResultException thrown) {
            return Optional.empty();
        }
    }

    Optional<R> decodePlan(IdempotencyKey key, Pending pending) {
        Reason unreadable =
                pending.protocol() == Protocol.FOLLOW_UP_OWED ? Reason.RESULT_UNREADABLE : Reason.PLAN_UNREADABLE;
        return pending.plan().map(payload -> decode(unreadable, key, payload));
    }

    R decodeResult(IdempotencyKey key, Succeeded succeeded) {
        return succeeded
                .result()
                .map(payload -> decode(Reason.RESULT_UNREADABLE, key, payload))
                .filter(this::isResult)
                .orElseThrow(() -> new UndecodableException(
                        Reason.RESULT_UNREADABLE,
                        key,
                        "the result could not be stored; read it from the domain, as lookUpByKey does",
                        null));
    }

    private R decode(Reason undecodable, IdempotencyKey key, Payload payload) {
        try {
            return Objects.requireNonNull(
                    codec.decode(key, payload.toBytes()), "The codec decoded the result as null.");
        } catch (Exception | Error thrown) {
            String what = undecodable.what()
                    + "; keep a codec that reads what earlier versions wrote, and their encryption keys, or read the"
                    + " result from the domain, as lookUpByKey does";
            throw new UndecodableException(undecodable, key, what, thrown);
        }
    }
}
