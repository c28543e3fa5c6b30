package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.admin.OperatorsWord;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.spi.Characters;
import java.util.Optional;

/**
 * An external operation whose unresolved attempts operators may resolve with the actuator's endpoint. Define a bean of
 * this type for each such operation.
 *
 * @param <R> the type of the result
 * @param operation the external or provider operation
 * @param codec decodes the result, or the provider's response, that the operator enters as text
 */
public record ResolvableOperation<R>(Resolvable<R> operation, ResultCodec<R> codec) {

    String name() {
        return operation.name();
    }

    /** Decodes the operator's text. */
    R decoded(String result) {
        try {
            return codec.decode(Characters.utf8(result));
        } catch (Exception refused) {
            throw new IllegalArgumentException(
                    "The codec of " + name() + " rejected this result. Nothing was changed.", refused);
        }
    }

    Answered settled(OperatorsWord word) {
        return word.settle(operation);
    }

    Answered succeeded(OperatorsWord word, Optional<String> result) {
        return result.map(text -> word.succeeded(operation, decoded(text))).orElseGet(() -> word.succeeded(operation));
    }

    Answered failed(OperatorsWord word) {
        return word.failed(operation);
    }
}
