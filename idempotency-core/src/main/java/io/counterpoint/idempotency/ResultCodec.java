package io.counterpoint.idempotency;

import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.spi.Characters;

/**
 * Encodes a result as bytes for the store, and decodes it.
 *
 * <p>A decoded result must equal the encoded one, because retries return it. Stored bytes outlive the code that wrote
 * them, up to the retention period, so a changed codec must still read the old format. If it cannot, it throws, and the
 * call throws {@link UndecodableException}; the work never runs again. Java serialization is deliberately not offered.
 *
 * @param <R> the type of the result
 */
public interface ResultCodec<R> {

    /**
     * Encodes a result.
     *
     * @param result the result, never null
     * @return its bytes
     * @throws Exception if it cannot be encoded; the transaction is then rolled back
     */
    byte[] encode(R result) throws Exception;

    /**
     * Decodes the output of {@link #encode}.
     *
     * @param bytes the bytes
     * @return the result, never null
     * @throws Exception if they cannot be decoded
     */
    R decode(byte[] bytes) throws Exception;

    /**
     * Encodes the result of a record, for a codec that binds it to its key. By default, calls {@link #encode(Object)}.
     * A codec that wraps another one must pass the key on.
     *
     * @param key the key of the record
     * @param result the result, never null
     * @return its bytes
     * @throws Exception as {@link #encode(Object)}
     */
    default byte[] encode(IdempotencyKey key, R result) throws Exception {
        return encode(result);
    }

    /**
     * Decodes the output of {@link #encode(IdempotencyKey, Object)} for this key. By default, calls {@link
     * #decode(byte[])}.
     *
     * @param key the key of the record
     * @param bytes the bytes
     * @return the result, never null
     * @throws Exception as {@link #decode(byte[])}
     */
    default R decode(IdempotencyKey key, byte[] bytes) throws Exception {
        return decode(bytes);
    }

    /**
     * Returns a codec composed of two functions.
     *
     * @param <R> the type of the result
     * @param encode encodes a result, like {@link #encode}
     * @param decode decodes it, like {@link #decode}
     * @return the codec
     */
    static <R> ResultCodec<R> of(
            CheckedFunction<? super R, byte[], Exception> encode,
            CheckedFunction<? super byte[], ? extends R, Exception> decode) {
        return new ResultCodec<>() {
            @Override
            public byte[] encode(R result) throws Exception {
                return encode.apply(result);
            }

            @Override
            public R decode(byte[] bytes) throws Exception {
                return decode.apply(bytes);
            }
        };
    }

    /**
     * Returns a codec for results that have a text form, which is stored as UTF-8.
     *
     * <p>A text with an unpaired surrogate has no UTF-8 form and is rejected like any other result that cannot be
     * encoded. Bytes that are not valid UTF-8 are not decoded.
     *
     * @param <R> the type of the result
     * @param print returns the text, not null, or throws if there is none
     * @param parse parses the text, or throws if it cannot
     * @return the codec
     */
    static <R> ResultCodec<R> text(
            CheckedFunction<? super R, String, Exception> print,
            CheckedFunction<? super String, ? extends R, Exception> parse) {
        return of(result -> Characters.utf8(print.apply(result)), bytes -> parse.apply(Characters.ofUtf8(bytes)));
    }

    /**
     * Returns the codec for plain text, with the limits of {@link #text}.
     *
     * @return the codec
     */
    static ResultCodec<String> string() {
        return text(text -> text, text -> text);
    }

    /**
     * Returns the codec for operations without a result.
     *
     * @return the codec, which stores no bytes
     */
    static ResultCodec<Done> done() {
        return DoneCodec.INSTANCE;
    }
}
