package io.counterpoint.idempotency;

/** The result of an operation that returns only that it is done. See {@link ResultCodec#done()}. */
public enum Done {
    /** It is done. */
    DONE
}
