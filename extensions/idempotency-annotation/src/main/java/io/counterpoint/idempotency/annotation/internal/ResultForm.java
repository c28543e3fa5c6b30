package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.function.CheckedFunction;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the result of a method is stored: nothing for {@code void}, and an additional byte for an {@link Optional}. */
public enum ResultForm {
    /** No result. */
    DONE,
    /** Empty or a value of the codec. */
    OPTIONAL,
    /** A value of the codec. */
    VALUE;

    public static ResultForm of(Type result) {
        Type type = result instanceof ParameterizedType generic ? generic.getRawType() : result;
        if (type == void.class || type == Void.class) {
            return DONE;
        }
        return type == Optional.class ? OPTIONAL : VALUE;
    }

    /** Returns the codec of a method's result. */
    public ResultCodec<Object> codec(Type result, String operation, ResultCodecs codecs) {
        return switch (this) {
            case DONE -> ResultCodec.of(done -> new byte[0], bytes -> Done.DONE);
            case OPTIONAL -> new OptionalCodec(codec(codecs, operation, held(result)));
            case VALUE -> codec(codecs, operation, result);
        };
    }

    /** Returns the result of the operation's work for what the method returned. The operation rejects null. */
    public @Nullable Object stored(@Nullable Object returned) {
        return this == DONE ? Done.DONE : returned;
    }

    /** Returns what the method's caller gets. */
    public @Nullable Object returned(Object result) {
        return this == DONE ? null : result;
    }

    private static Type held(Type result) {
        return result instanceof ParameterizedType generic ? generic.getActualTypeArguments()[0] : Object.class;
    }

    @SuppressWarnings("unchecked") // the codec is for the method's own type and sees only its results
    private static ResultCodec<Object> codec(ResultCodecs codecs, String operation, Type type) {
        return (ResultCodec<Object>) codecs.codecOf(operation, type);
    }

    /** A byte that indicates whether there is a value, followed by the value. */
    private record OptionalCodec(ResultCodec<Object> value) implements ResultCodec<Object> {

        @Override
        public byte[] encode(Object result) throws Exception {
            return encoded((Optional<?>) result, value::encode);
        }

        @Override
        public byte[] encode(IdempotencyKey key, Object result) throws Exception {
            return encoded((Optional<?>) result, present -> value.encode(key, present));
        }

        @Override
        public Object decode(byte[] bytes) throws Exception {
            return decoded(bytes, value::decode);
        }

        @Override
        public Object decode(IdempotencyKey key, byte[] bytes) throws Exception {
            return decoded(bytes, present -> value.decode(key, present));
        }

        private static byte[] encoded(Optional<?> result, CheckedFunction<Object, byte[], Exception> encode)
                throws Exception {
            if (result.isEmpty()) {
                return new byte[] {0};
            }
            byte[] encoded = encode.apply(result.get());
            byte[] bytes = new byte[encoded.length + 1];
            bytes[0] = 1;
            System.arraycopy(encoded, 0, bytes, 1, encoded.length);
            return bytes;
        }

        private static Optional<Object> decoded(byte[] bytes, CheckedFunction<byte[], Object, Exception> decode)
                throws Exception {
            boolean empty = bytes.length == 1 && bytes[0] == 0;
            if (!empty && (bytes.length == 0 || bytes[0] != 1)) {
                throw new IllegalArgumentException("Expected a stored optional result, which begins with 0 or 1.");
            }
            return empty ? Optional.empty() : Optional.of(decode.apply(Arrays.copyOfRange(bytes, 1, bytes.length)));
        }
    }
}
