package io.counterpoint.idempotency;

/** Thrown when a batch is rejected as a whole. Nothing was read, claimed or changed. */
public final class InvalidBatchException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the batch. */
    public enum Reason {
        /** The list contains null. */
        NULL_ATTEMPT,
        /** It has more attempts than the batch allows. */
        TOO_MANY_ATTEMPTS,
        /** Its keys are not all in one database of the store. */
        SEVERAL_DATABASES
    }

    private final transient Reason reason;

    /**
     * Creates an exception; public so that exception handlers can be tested.
     *
     * @param reason what is wrong
     * @param message what was expected, what was found, what to do; without keys
     */
    public InvalidBatchException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /**
     * What is wrong with the batch.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
