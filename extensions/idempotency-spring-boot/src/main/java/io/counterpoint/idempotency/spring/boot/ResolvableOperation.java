package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * An external operation whose unresolved attempts operators may resolve at the actuator's endpoint. Define a bean of it
 * for each such operation.
 *
 * @param <R> the type of the result
 * @param operation the operation
 * @param codec reads the result that the operator states, as text
 */
public record ResolvableOperation<R>(ExternalOperation<R> operation, ResultCodec<R> codec) {

    String name() {
        return operation.keyOf(Attempt.in("any").key("any").request()).operation();
    }

    Optional<String> succeeded(IdempotencyKey key, String result) {
        R decoded;
        try {
            decoded = codec.decode(result.getBytes(StandardCharsets.UTF_8));
        } catch (Exception refused) {
            throw new IllegalArgumentException(
                    "The codec of " + name() + " refuses this result. Nothing was changed.", refused);
        }
        return operation.resolveSucceeded(key, decoded).map(ResolvableOperation::nameOf);
    }

    Optional<String> failed(IdempotencyKey key, Failure failure) {
        return operation.resolveFailed(key, failure).map(ResolvableOperation::nameOf);
    }

    private static String nameOf(Outcome<?> outcome) {
        return outcome.getClass().getSimpleName();
    }
}
