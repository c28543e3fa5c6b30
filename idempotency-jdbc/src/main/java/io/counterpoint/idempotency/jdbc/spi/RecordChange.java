package io.counterpoint.idempotency.jdbc.spi;

/** The compare-and-sets, each with the values that {@link RecordRow#bindChange} binds. */
public enum RecordChange {
    /** {@code Pending} to {@code Succeeded}: the result or null; last the name of the transaction that it has to be, or null. */
    SUCCEED,
    /** {@code Pending} to {@code Failed}: code and message. */
    FAIL,
    /** Deletes the record. Binds nothing. */
    RELEASE,
    /** Replaces the token: the fresh one. */
    REPLACE_TOKEN
}
