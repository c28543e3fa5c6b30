package io.counterpoint.idempotency;

/** The result of an operation that has nothing to return. See {@link ResultCodec#done()}. */
public enum Done {
    /** It is done. */
    DONE
}
