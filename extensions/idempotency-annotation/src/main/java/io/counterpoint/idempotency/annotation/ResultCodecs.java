package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.ResultCodec;
import java.lang.reflect.Type;

/**
 * Provides the codec of each {@link Idempotent} method. A bean of this type replaces the strict JSON codecs, for
 * example to give an operation a codec with versions and upcasters.
 */
@FunctionalInterface
public interface ResultCodecs {

    /**
     * Returns the codec of an operation. Called once per method, at startup.
     *
     * @param operation the operation's name
     * @param result the method's generic return type, or the type inside its {@link java.util.Optional}; never {@code
     *     void}
     * @return the codec
     * @throws RuntimeException if the type has no codec, in which case the application does not start
     */
    ResultCodec<?> codecOf(String operation, Type result);
}
