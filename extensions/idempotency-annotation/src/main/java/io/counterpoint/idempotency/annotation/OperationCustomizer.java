package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.Operation;

/**
 * Customizes the operations of {@link Idempotent} methods before they are built: lookups, descriptions of failures,
 * and all else that the annotation cannot say. Beans of this type are asked at the start, in their order.
 */
@FunctionalInterface
public interface OperationCustomizer {

    /**
     * Customizes an operation. The annotation has been applied, except for abandoned attempts where it says nothing of
     * them.
     *
     * @param operation the operation's name
     * @param builder its builder; the result is {@link io.counterpoint.idempotency.Done} for {@code void}
     */
    void customize(String operation, Operation.Builder<?, Object> builder);
}
