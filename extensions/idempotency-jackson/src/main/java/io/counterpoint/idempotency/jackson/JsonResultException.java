package io.counterpoint.idempotency.jackson;

/**
 * Thrown if a result has no exact JSON form, or a stored result does not exactly match its type. Messages name
 * components and never show values. For the same reason there is no cause, because Jackson's messages quote values.
 */
public class JsonResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JsonResultException(String message) {
        super(message);
    }
}
