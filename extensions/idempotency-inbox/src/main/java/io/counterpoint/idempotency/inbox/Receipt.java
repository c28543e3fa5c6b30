package io.counterpoint.idempotency.inbox;

import java.util.Optional;

/**
 * The outcome of one message. Only {@link #isAcknowledgeable} messages may be acknowledged to the broker.
 *
 * @param <M> the broker's message type
 * @param message the message
 * @param fate its outcome
 * @param cause why it was postponed or what its handler threw; otherwise empty
 */
public record Receipt<M>(M message, Fate fate, Optional<Throwable> cause) {

    /** The outcome of a message. */
    public enum Fate {
        /** This delivery took effect, and the effect is committed. */
        PROCESSED,
        /** An earlier delivery, or another copy of the message, has already taken effect. */
        DUPLICATE,
        /** It has no effect, and its dead letter is committed. */
        DEAD_LETTER,
        /** Its outcome is uncertain, or an earlier message with its order key is postponed. It must be redelivered. */
        POSTPONED
    }

    /**
     * Returns whether the broker may discard the message.
     *
     * @return false for {@link Fate#POSTPONED}
     */
    public boolean isAcknowledgeable() {
        return fate != Fate.POSTPONED;
    }

    @Override
    public String toString() {
        return "Receipt[" + fate
                + cause.map(thrown -> ", " + thrown.getClass().getSimpleName()).orElse("") + "]";
    }
}
