package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.IdempotencyException.UndecodableException;
import io.counterpoint.idempotency.IdempotencyException.UnstorableResultException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
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
 */
public record Payloads<R>(ResultCodec<R> codec, int maxBytes, boolean withoutResult) {

    private static final Payload NOTHING = Payload.of(new byte[0]);

    /** What every success will store, where that is known before the work. */
    Optional<Payload> known() {
        return withoutResult ? Optional.of(NOTHING) : Optional.empty();
    }

    Payload encode(IdempotencyKey key, R result) {
        byte[] bytes;
        try {
            bytes = codec.encode(result);
        } catch (Exception | Error thrown) {
            throw new UnstorableResultException(key, "the codec could not encode the result.", thrown);
        }
        if (bytes == null) {
            throw new UnstorableResultException(key, "the codec encoded the result as null.", null);
        }
        if (bytes.length > maxBytes) {
            throw new UnstorableResultException(
                    key,
                    "the result has " + bytes.length + " bytes, at most " + maxBytes
                            + " are allowed; return less, or set maxResultBytes.",
                    null);
        }
        return Payload.of(bytes);
    }

    /** Encodes the result of an effect that is there: a result that cannot be stored must not hide it. */
    Optional<Payload> encodeIfPossible(IdempotencyKey key, R result) {
        try {
            return Optional.of(encode(key, result));
        } catch (UnstorableResultException thrown) {
            return Optional.empty();
        }
    }

    Optional<R> decodePlan(IdempotencyKey key, Pending pending) {
        return pending.plan()
                .map(
                        payload -> decode(
                                key,
                                payload,
                                "the stored plan cannot be decoded; keep a codec that reads what earlier versions wrote, and its keys."));
    }

    R decodeResult(IdempotencyKey key, Succeeded succeeded) {
        return decode(
                key,
                succeeded
                        .result()
                        .orElseThrow(() -> new UndecodableException(
                                key,
                                "the effect is committed, but its result could not be stored; read it from the domain, as lookUpByKey does.",
                                null)),
                "the effect is committed, but its stored result cannot be decoded; keep a codec that reads what earlier"
                        + " versions wrote, and its keys, or read the result from the domain, as lookUpByKey does.");
    }

    private R decode(IdempotencyKey key, Payload payload, String what) {
        try {
            return Objects.requireNonNull(codec.decode(payload.toBytes()), "The codec decoded null.");
        } catch (Exception | Error thrown) {
            throw new UndecodableException(key, what, thrown);
        }
    }
}
