package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import org.jspecify.annotations.Nullable;

/**
 * The answers that this module gives on its own account, as problem details (RFC 9457).
 *
 * <p>Each has a type, a status and a title that do not change, so clients may act on them. {@code retryable} says whether
 * the same request with the same key can get another answer.
 */
public enum Problem {

    /** The route requires a key. */
    KEY_MISSING(400, "The Idempotency-Key header is missing", false),

    /** There is a header, and no key in it. */
    KEY_INVALID(400, "The Idempotency-Key header is malformed", false),

    /** The query, the charset, the form or the multipart body is malformed, or has more fields or parts than are taken. */
    REQUEST_MALFORMED(400, "The request is malformed", false),

    /** The scope resolver knows no caller. */
    CALLER_UNKNOWN(401, "The caller is not known", null),

    /** The effect is there, and the caller may not see its answer any more. */
    REPLAY_REFUSED(403, "The answer may not be seen again", null),

    /** A leader is at work, or its end is not known. */
    REQUEST_OUTSTANDING(409, "A request with this key is outstanding", true),

    /** The key carries a time, and its record may be gone. */
    KEY_EXPIRED(412, "The key has expired", false),

    /** The body is larger than the route takes. */
    BODY_TOO_LARGE(413, "The request body is too large", false),

    /** The same key came with another request. */
    KEY_REUSED(422, "The key was used for another request", false),

    /** The attempt is over, without effect. */
    ATTEMPT_FAILED(422, "The attempt with this key has failed", false),

    /** So many requests of the scope are unresolved that no new one is started. */
    TOO_MANY_UNRESOLVED(429, "Too many requests are unresolved", true),

    /** The effect is there, and its result cannot be read. */
    RESULT_UNREADABLE(500, "The stored result cannot be read", false),

    /** The result is one that cannot be stored. */
    RESULT_UNSTORABLE(500, "The result cannot be stored", false),

    /** A part of the effect may be there, and no retry can find out: somebody has to look. */
    OUTCOME_UNRESOLVED(500, "The outcome of the request has to be looked into", false),

    /** The store could not be asked: nothing was started. */
    STORE_UNAVAILABLE(503, "The request was not started", true),

    /** The effect may be there or not. */
    OUTCOME_UNKNOWN(503, "The outcome of the request is not known", true),

    /** The effect is there, and its answer was too large to keep. The status is that of the answer. */
    ANSWER_NOT_KEPT(200, "The request was carried out", false);

    private final int status;
    private final String title;
    private final @Nullable Boolean retryable;

    Problem(int status, String title, @Nullable Boolean retryable) {
        this.status = status;
        this.title = title;
        this.retryable = retryable;
    }

    /**
     * The last part of the problem's type: {@code key-missing}.
     *
     * @return the name in lower case, with hyphens
     */
    public String slug() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    /**
     * The status.
     *
     * @return the HTTP status
     */
    public int status() {
        return status;
    }

    /**
     * The title, for people.
     *
     * @return a short sentence without a full stop
     */
    public String title() {
        return title;
    }

    @Nullable
    Boolean retryable() {
        return retryable;
    }

    /**
     * The problem that a typed exception of the core is.
     *
     * @param thrown the exception
     * @return its problem
     */
    public static Problem of(IdempotencyException thrown) {
        if (thrown instanceof IdempotencyException.InProgressException) {
            return REQUEST_OUTSTANDING;
        }
        if (thrown instanceof IdempotencyException.RejectedException) {
            return ATTEMPT_FAILED;
        }
        if (thrown instanceof IdempotencyException.KeyReusedException) {
            return KEY_REUSED;
        }
        if (thrown instanceof IdempotencyException.NotStartedException) {
            return STORE_UNAVAILABLE;
        }
        if (thrown instanceof IdempotencyException.UndecodableException) {
            return RESULT_UNREADABLE;
        }
        if (thrown instanceof IdempotencyException.UnstorableResultException) {
            return RESULT_UNSTORABLE;
        }
        return thrown.retryable() ? OUTCOME_UNKNOWN : OUTCOME_UNRESOLVED;
    }

    /** What a client may know of an exception, and what it is to do. */
    static String detailOf(IdempotencyException thrown) {
        return switch (of(thrown)) {
            case REQUEST_OUTSTANDING -> "It is at work, or ended without an answer. Ask again with the same key.";
            case ATTEMPT_FAILED -> "It has no effect. Use a new key to try again.";
            case KEY_REUSED -> "Nothing was done. Use a new key for a new request.";
            case STORE_UNAVAILABLE -> "Nothing was done. Ask again with the same key.";
            case RESULT_UNREADABLE -> "It was carried out, and is not carried out again.";
            case RESULT_UNSTORABLE -> "It was given up because its result cannot be stored.";
            case OUTCOME_UNRESOLVED ->
                "A part of it may have been carried out. Do not send it again, with this key or another, before somebody"
                        + " has looked.";
            default -> "It may have been carried out or not. Ask again with the same key.";
        };
    }
}
