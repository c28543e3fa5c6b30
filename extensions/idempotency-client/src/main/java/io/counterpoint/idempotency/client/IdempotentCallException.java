package io.counterpoint.idempotency.client;

import org.jspecify.annotations.Nullable;
import org.springframework.web.client.RestClientException;

/** Thrown if a call through Spring ended without a complete response from the service. */
@SuppressWarnings("exports")
public final class IdempotentCallException extends RestClientException {
    private static final long serialVersionUID = 1L;

    // Exceptions of this project are never serialized.
    private final transient CallResult<?> result;

    IdempotentCallException(CallResult<?> result, @Nullable Exception failure) {
        super("The call ended as " + result + ". See result() for what is known and what to do.", failure);
        this.result = result;
    }

    /**
     * Returns the result of the call.
     *
     * @return any result except {@link CallResult.Succeeded} and {@link CallResult.Rejected}, whose responses Spring
     *     returns
     */
    public CallResult<?> result() {
        return result;
    }
}
