package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;

/**
 * Turns a result into bytes that a store keeps, and back.
 *
 * <p>What is decoded must equal what was encoded: retries are answered with it. Bytes outlive the code that wrote them,
 * up to the retention, so a changed codec must still read the old form. Where it cannot, it throws, and the call throws
 * {@link IdempotencyException.UndecodableException}. The work never runs again. Java serialization is not offered on
 * purpose.
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
     * A codec of two functions.
     *
     * @param <R> the type of the result
     * @param encode makes bytes
     * @param decode reads them
     * @return the codec
     */
    static <R> ResultCodec<R> of(Step<? super R, byte[]> encode, Step<? super byte[], ? extends R> decode) {
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
     * <p>A text with half a surrogate pair has no UTF-8, and is refused as any other result that cannot be encoded. Bytes
     * that are no UTF-8 are not decoded.
     *
     * @param <R> the type of the result
     * @param print makes the text
     * @param parse reads it
     * @return the codec
     */
    static <R> ResultCodec<R> text(Step<? super R, String> print, Step<? super String, ? extends R> parse) {
        return of(result -> Characters.utf8(print.apply(result)), bytes -> parse.apply(Characters.ofUtf8(bytes)));
    }

    /**
     * The codec for text itself, with the limits of {@link #text}.
     *
     * @return the codec
     */
    static ResultCodec<String> string() {
        return text(text -> text, text -> text);
    }

    /**
     * The codec for operations without a result.
     *
     * @return the codec; it stores no byte
     */
    static ResultCodec<Done> done() {
        return DoneCodec.INSTANCE;
    }

    /**
     * One direction of a codec.
     *
     * @param <A> what goes in
     * @param <B> what comes out
     */
    @FunctionalInterface
    interface Step<A, B> {
        /**
         * Converts.
         *
         * @param from what goes in
         * @return what comes out
         * @throws Exception if it cannot be converted
         */
        B apply(A from) throws Exception;
    }
}
