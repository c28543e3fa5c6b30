package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Failure;

/** The domain does not want such a group. The first request gets this exception, retries get its code. */
final class GroupRefused extends Exception {
    private static final long serialVersionUID = 1L;

    private final String code;

    GroupRefused(String code, String message) {
        super(message);
        this.code = code;
    }

    String code() {
        return code;
    }

    /** What is stored, and told to every retry, when the creation of a group throws. */
    static Failure describe(Throwable thrown) {
        return thrown instanceof GroupRefused refused
                ? new Failure(refused.code(), String.valueOf(refused.getMessage()))
                : new Failure("internal-error", "");
    }
}
