package io.counterpoint.idempotency;

/** The result of an operation that has nothing to return but its completion. See {@link ResultCodec#done()}. */
public enum Done {
    /** It is done. */
    DONE
}
