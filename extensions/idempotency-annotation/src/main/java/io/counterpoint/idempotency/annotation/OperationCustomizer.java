package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.Operation;

/**
 * Customizes the operations of {@link Idempotent} methods before they are built: lookups, descriptions of failures, and
 * everything else that the annotation cannot express. Beans of this type are called at startup, in order.
 */
@FunctionalInterface
public interface OperationCustomizer {

    /**
     * Customizes an operation. The annotation has already been applied, except for the handling of abandoned attempts
     * if it does not specify any.
     *
     * @param operation the operation's name
     * @param builder its builder; the result is {@link io.counterpoint.idempotency.Done} for {@code void}
     */
    void customize(String operation, Operation.Builder<?, Object> builder);
}
