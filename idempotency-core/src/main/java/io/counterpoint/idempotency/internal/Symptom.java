package io.counterpoint.idempotency.internal;

import java.util.Locale;

/** A heading of {@code docs/troubleshooting.md} to which messages link. */
public enum Symptom {
    /** A leader may be at work. */
    REQUEST_OUTSTANDING,
    /** The attempt failed for good. */
    ATTEMPT_FAILED,
    /** The key belongs to another request. */
    KEY_REUSED,
    /** The store did not respond. */
    STORE_UNAVAILABLE,
    /** Each run was rolled back. */
    RUNS_ROLLED_BACK,
    /** A batch left an attempt out. */
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
    /** A call inside another call or a transaction. */
    CALLED_INSIDE,
    /** A second call for one attempt. */
    CALLED_TWICE,
    /** Nobody is authenticated. */
    CALLER_UNKNOWN,
    /** A key or scope has no stable text. */
    KEY_INCOMPLETE,
    /** A handler did not use its key. */
    KEY_UNUSED,
    /** An annotated method cannot keep its promise. */
    METHOD_REFUSED,
    /** The application does not start. */
    START_REFUSED,
    /** The table is missing or unsuitable. */
    TABLE_REFUSED,
    /** The database has no dialect, or not the one that was named. */
    DATABASE_REFUSED;

    private static final String PAGE =
            "https://github.com/counterpoint-io/idempotency/blob/main/docs/troubleshooting.md";

    /**
     * The heading's name in an address.
     *
     * @return the name in lower case, with hyphens
     */
    public String anchor() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Links a message to the heading.
     *
     * @param message whole sentences
     * @return the message, and the address
     */
    public String of(String message) {
        return message + " See <" + PAGE + "#" + anchor() + ">.";
    }
}
