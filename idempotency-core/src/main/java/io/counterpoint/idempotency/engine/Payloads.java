package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.Objects;
import java.util.Optional;

/**
 * Encodes and decodes the results of one operation. The codec is the user's, so it may throw anything.
 *
 * @param <R> the type of the result
 * @param codec the operation's codec
 * @param maxBytes the largest encoded result
 * @param withoutResult whether {@code Done} is the only result
 * @param planIsResult whether what was planned is the answer; else it is what was asked for
 */
public record Payloads<R>(ResultCodec<R> codec, int maxBytes, boolean withoutResult, boolean planIsResult) {

    private static final Payload NOTHING = Payload.of(new byte[0]);

    /** What every success will store, where that is known before the work. */
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
                    unstorable.what() + ": it has " + bytes.length + " bytes, at most " + maxBytes
                            + " are allowed; make it smaller, or set maxResultBytes",
                    null);
        }
        return Payload.of(bytes);
    }

    /** Encodes the result of an effect that is there: a result that cannot be stored must not hide it. */
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
        return decode(
                Reason.RESULT_UNREADABLE,
                key,
                succeeded
                        .result()
                        .orElseThrow(() -> new UndecodableException(
                                Reason.RESULT_UNREADABLE,
                                key,
                                "the result could not be stored; read it from the domain, as lookUpByKey does",
                                null)));
    }

    private R decode(Reason undecodable, IdempotencyKey key, Payload payload) {
        try {
            return Objects.requireNonNull(codec.decode(key, payload.toBytes()), "The codec decoded null.");
        } catch (Exception | Error thrown) {
            String what = undecodable.what()
                    + "; keep a codec that reads what earlier versions wrote, and its keys, or read the"
                    + " result from the domain, as lookUpByKey does";
            throw new UndecodableException(undecodable, key, what, thrown);
        }
    }
}
