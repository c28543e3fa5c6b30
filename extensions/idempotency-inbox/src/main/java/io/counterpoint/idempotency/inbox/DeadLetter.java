package io.counterpoint.idempotency.inbox;

import java.util.Optional;

/**
 * A message that the inbox gave up on, for an operator to check.
 *
 * <p>{@link #toString()} does not show identity, content or error, because each may be confidential.
 */
public final class DeadLetter {

    /** Why the inbox gave up on a message. */
    public enum Reason {
        /** The handler failed, for a reason that is not transient. */
        POISON,
        /** The identity function returned nothing, or threw. */
        NO_IDENTITY,
        /** The identity is not 1 to 255 visible characters. */
        INVALID_IDENTITY,
        /** A message with different content has the same identity. */
        IDENTITY_REUSED,
        /**
         * The function for its fingerprint, order key or content threw or returned null. The inbox does not remember
         * the identity: a readable copy of the message takes effect.
         */
        UNREADABLE
    }

    private final String id;
    private final String inbox;
    private final Reason reason;
    private final String error;
    private final String origin;
    private final Optional<String> identity;
    private final byte[] content;

    DeadLetter(
            String id,
            String inbox,
            Reason reason,
            String error,
            String origin,
            Optional<String> identity,
            byte[] content) {
        this.id = id;
        this.inbox = inbox;
        this.reason = reason;
        this.error = error;
        this.origin = origin;
        this.identity = identity;
        this.content = content.clone();
    }

    /**
     * Returns the identifier of the letter.
     *
     * @return 64 hexadecimal digits, the same for every delivery of the message
     */
    public String id() {
        return id;
    }

    /**
     * Returns the name of the inbox.
     *
     * @return the name
     */
    public String inbox() {
        return inbox;
    }

    /**
     * Returns why the inbox gave up on the message.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }

    /**
     * Returns what was thrown.
     *
     * @return what could not be read, and the class and message of the exception, up to 1,000 characters without
     *     control characters; empty if there was none
     */
    public String error() {
        return error;
    }

    /**
     * Returns where the message came from.
     *
     * @return the origin of the first delivery that was given up, or a note that it is unknown if it cannot be read
     */
    public String origin() {
        return origin;
    }

    /**
     * Returns the identity of the message.
     *
     * @return the identity as returned by the identity function, acceptable or not, up to 1,000 characters, with {@code
     *     ?} for each control character and each unpaired surrogate
     */
    public Optional<String> identity() {
        return identity;
    }

    /**
     * Returns the content of the message.
     *
     * @return a copy; empty if it cannot be read, in which case the error says so
     */
    public byte[] content() {
        return content.clone();
    }

    @Override
    public String toString() {
        return "DeadLetter[" + inbox + ", " + reason + ", " + id.substring(0, 16) + "]";
    }
}
