package io.counterpoint.idempotency.internal;

import java.util.Locale;

/** A heading of {@code docs/troubleshooting.md} that messages link to. */
public enum Symptom {
    /** A leader may be at work. */
    REQUEST_OUTSTANDING,
    /** The attempt failed permanently. */
    ATTEMPT_FAILED,
    /** The key belongs to a different request. */
    KEY_REUSED,
    /** The store did not respond. */
    STORE_UNAVAILABLE,
    /** Every run was rolled back. */
    RUNS_ROLLED_BACK,
    /** A batch did not start an attempt. */
    BATCH_NOT_STARTED,
    /** A result or plan cannot be stored. */
    RESULT_UNSTORABLE,
    /** A stored result or plan cannot be decoded. */
    RESULT_UNREADABLE,
    /** It is not known yet whether the effect exists. */
    OUTCOME_UNKNOWN,
    /** An external effect may exist. */
    EXTERNAL_UNKNOWN,
    /** An operator has to check whether the effect exists. */
    OUTCOME_UNRESOLVED,
    /** A call was made inside another call or a transaction. */
    CALLED_INSIDE,
    /** A second call was made for one attempt. */
    CALLED_TWICE,
    /** Nobody is authenticated. */
    CALLER_UNKNOWN,
    /** A key or scope has no stable text. */
    KEY_INCOMPLETE,
    /** A handler did not use its key. */
    KEY_UNUSED,
    /** An annotated method cannot keep its promise. */
    METHOD_REFUSED,
    /** The application is rejected at startup. */
    START_REFUSED,
    /** The table is missing or unsuitable. */
    TABLE_REFUSED,
    /** The database has no dialect, or a different one than configured. */
    DATABASE_REFUSED;

    private static final String PAGE =
            "https://github.com/counterpoint-io/idempotency/blob/main/docs/troubleshooting.md";

    /**
     * Returns the heading's anchor.
     *
     * @return the name in lower case, with hyphens
     */
    public String anchor() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Appends the link to the heading to a message.
     *
     * @param message whole sentences
     * @return the message with the link
     */
    public String of(String message) {
        return message + " See <" + PAGE + "#" + anchor() + ">.";
    }
}
