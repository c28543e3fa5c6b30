package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.spi.Characters;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * An answer that says why there is no result: a problem of the service's idempotency filter, or another status.
 *
 * <p>{@link #toString()} shows status and type only, because the rest is the service's text.
 *
 * @param status the HTTP status
 * @param type which problem; {@link Type#OTHER} if it is none of the filter's
 * @param members the text members of the problem document, such as {@code title} and {@code detail}; may be empty
 */
public record Problem(int status, Type type, Map<String, String> members) {

    private static final String UNTYPED = "about:blank";

    /**
     * Makes one.
     *
     * @param status the HTTP status
     * @param type which problem
     * @param members the text members of the problem document
     */
    public Problem {
        members = Map.copyOf(members);
    }

    /** The problems that the idempotency filter answers with. */
    public enum Type {
        /** The service requires a key and got none: something between client and service has removed the header. */
        KEY_MISSING(400),
        /** The service refuses the header's value. */
        KEY_INVALID(400),
        /** The query, the charset, the form or the multipart body is malformed. */
        REQUEST_MALFORMED(400),
        /** The service does not know its caller. */
        CALLER_UNKNOWN(401),
        /** Carried out before, and the answer is not for this caller any more. */
        REPLAY_REFUSED(403),
        /** The same request is at work, or has ended without an answer. */
        REQUEST_OUTSTANDING(409),
        /** The key carries its time, and is too old. */
        KEY_EXPIRED(412),
        /** The body is larger than the service accepts. */
        BODY_TOO_LARGE(413),
        /** The key was used for another request. */
        KEY_REUSED(422),
        /** The attempt is over, without effect. */
        ATTEMPT_FAILED(422),
        /** Too many earlier requests have no answer yet; nothing was started. */
        TOO_MANY_UNRESOLVED(429),
        /** Carried out, and the service cannot read the result. */
        RESULT_UNREADABLE(500),
        /** Given up, because the service cannot store the result. */
        RESULT_UNSTORABLE(500),
        /** Carried out in part, or not: no retry can find out. */
        OUTCOME_UNRESOLVED(500),
        /** The service could not ask its store; nothing was started. */
        STORE_UNAVAILABLE(503),
        /** Carried out or not: the service does not know yet. */
        OUTCOME_UNKNOWN(503),
        /** Carried out; the answer was too large to keep. The status is that of the first answer. */
        ANSWER_NOT_KEPT(Type.ANY),
        /** None of the filter's. */
        OTHER(Type.ANY);

        private static final int ANY = 0;

        private final int status;

        Type(int status) {
            this.status = status;
        }

        /**
         * The last part of the problem's type.
         *
         * @return the name in lower case, with hyphens: {@code key-missing}
         */
        public String slug() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** The type that a URI ends with, if it comes with its status. */
        static Type of(String uri, int status) {
            String slug = uri.substring(uri.lastIndexOf('#') + 1);
            for (Type type : values()) {
                if (type.slug().equals(slug) && (type.status == ANY || type.status == status)) {
                    return type;
                }
            }
            return OTHER;
        }
    }

    /** A status without a problem document. */
    static Problem untyped(int status) {
        return new Problem(status, Type.OTHER, Map.of());
    }

    /** The problem of a document; of another type where it cannot be read. */
    static Problem parse(int status, byte[] document) {
        Map<String, String> members = TextMembers.of(document);
        return new Problem(status, Type.of(members.getOrDefault("type", UNTYPED), status), members);
    }

    /** Whether an answer says that it is a problem document. */
    static boolean isDocument(String mediaType) {
        return Characters.equalsIgnoringAsciiCase(mediaType.split(";", 2)[0].trim(), "application/problem+json");
    }

    /**
     * A text member of the document: {@code detail}, {@code reference} of {@link Type#ANSWER_NOT_KEPT}, {@code failure} and
     * {@code failureMessage} of {@link Type#ATTEMPT_FAILED}.
     *
     * @param name the member's name
     * @return its text; empty if there is none
     */
    public Optional<String> member(String name) {
        return Optional.ofNullable(members.get(name));
    }

    @Override
    public String toString() {
        return status + " " + type.slug();
    }
}
