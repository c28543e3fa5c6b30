package io.counterpoint.idempotency.http;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The problems (RFC 9457) that the servlet filter returns itself, and that the client distinguishes.
 *
 * <p>The type, status and title of each problem are stable, so clients may rely on them.
 */
public enum ProblemType {

    /**
     * The route requires a key, but the request has none: if the client sent one, an intermediary has removed the
     * header.
     */
    KEY_MISSING(400, "The Idempotency-Key header is missing", false),

    /** The header contains no acceptable key. */
    KEY_INVALID(400, "The Idempotency-Key header is malformed", false),

    /**
     * A malformed query, charset, form or multipart body, too many fields or parts, or a form where none is accepted.
     */
    REQUEST_MALFORMED(400, "The request is malformed", false),

    /** The caller is unknown. */
    CALLER_UNKNOWN(401, "The caller is unknown", null),

    /** The effect exists, but the caller may no longer see its response. */
    REPLAY_REFUSED(403, "The response may not be replayed to this caller", null),

    /** A leader is at work, or its outcome is not known. */
    REQUEST_OUTSTANDING(409, "A request with this key is outstanding", true),

    /** The key contains a timestamp, and its record may be gone. */
    KEY_EXPIRED(412, "The key has expired", false),

    /** The body is larger than the route accepts. */
    BODY_TOO_LARGE(413, "The request body is too large", false),

    /** The key was used for a different request. */
    KEY_REUSED(422, "The key was used for a different request", false),

    /** The attempt ended without effect. */
    ATTEMPT_FAILED(422, "The attempt with this key has failed", false),

    /** Too many requests of the scope are unresolved, so no new one is started. */
    TOO_MANY_UNRESOLVED(429, "Too many requests are unresolved", true),

    /** The effect exists, but its result cannot be read. */
    RESULT_UNREADABLE(500, "The stored result cannot be read", false),

    /** Abandoned because its result cannot be stored. */
    RESULT_UNSTORABLE(500, "The result cannot be stored", false),

    /** Part of the effect may exist, and no retry can find out: an operator has to check. */
    OUTCOME_UNRESOLVED(500, "The outcome of the request must be checked", false),

    /** Nothing was started, and retrying does not help until the service is fixed. */
    NOT_STARTED(500, "The request cannot be started", false),

    /** The store could not be reached, so nothing was started. */
    STORE_UNAVAILABLE(503, "The request was not started", true),

    /** The service does not know yet whether the effect exists. */
    OUTCOME_UNKNOWN(503, "The outcome of the request is unknown", true),

    /** The effect exists, but its response was too large to store. The status is that of the original response. */
    ANSWER_NOT_KEPT(200, "The request was carried out", false);

    private final int status;
    private final String title;
    private final @Nullable Boolean retryable;

    ProblemType(int status, String title, @Nullable Boolean retryable) {
        this.status = status;
        this.title = title;
        this.retryable = retryable;
    }

    /**
     * Returns the last part of the problem's type, such as {@code key-missing}.
     *
     * @return the name in lower case, with hyphens
     */
    public String slug() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the status.
     *
     * @return the HTTP status
     */
    public int status() {
        return status;
    }

    /**
     * Returns the title, for people.
     *
     * @return a short sentence without a final period
     */
    public String title() {
        return title;
    }

    /**
     * Returns whether the same request with the same key can get a different response.
     *
     * @return whether it can; empty if that depends on the caller
     */
    public Optional<Boolean> isRetryable() {
        return Optional.ofNullable(retryable);
    }
}
