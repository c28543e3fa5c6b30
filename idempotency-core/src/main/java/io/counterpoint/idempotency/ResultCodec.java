package io.counterpoint.idempotency;

import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.spi.Characters;

/**
 * Encodes a result as bytes for the store, and decodes it.
 *
 * <p>A decoded result must equal the encoded one, because retries get it. Bytes outlive the code that wrote them,
 * up to the retention, so a changed codec must still read the old form. If it cannot, it throws, and the call throws
 * {@link UndecodableException}. The work never runs again. Java serialization is deliberately not supported.
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
     * Decodes what {@link #encode} made.
     *
     * @param bytes the bytes
     * @return the result, never null
     * @throws Exception if they cannot be decoded
     */
    R decode(byte[] bytes) throws Exception;

    /**
     * Encodes the result of a record, for a codec that binds it to its key. By default, {@link #encode(Object)}. A
     * codec that wraps another one passes on the key.
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
     * Decodes what {@link #encode(IdempotencyKey, Object)} made for this key. By default, {@link #decode(byte[])}.
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
     * Returns a codec from two functions.
     *
     * @param <R> the type of the result
     * @param encode makes bytes, as {@link #encode}
     * @param decode reads them, as {@link #decode}
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
     * A codec for results that have a text form; it is stored as UTF-8.
     *
     * <p>A text with half a surrogate pair has no UTF-8 encoding, and is rejected like any other result that cannot be
     * encoded. Bytes that are not valid UTF-8 are rejected.
     *
     * @param <R> the type of the result
     * @param print returns the text, not null, or throws if there is none
     * @param parse parses it, or throws if it cannot
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
     * @return the codec; it stores no bytes
     */
    static ResultCodec<Done> done() {
        return DoneCodec.INSTANCE;
    }
}
