package io.counterpoint.idempotency.jackson;

/**
 * A result that has no exact JSON, or a stored result that is not exactly one of its type. Messages name components and
 * never show values. For the same reason there is no cause, since Jackson's messages quote values.
 */
public class JsonResultException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    JsonResultException(String message) {
        super(message);
    }
}
