package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Characters;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * A record as stored in the table. {@code toString} does not show scope, key, payload or the failure's message.
 *
 * @param key the key; display {@link IdempotencyKey#hash()} instead
 * @param protocol the protocol of the attempt
 * @param state whether and how it has ended
 * @param payload the plan while pending, the result once succeeded
 * @param failure why the attempt failed, if it did
 * @param createdAt when the key was claimed, by the database's clock
 * @param updatedAt when the record last changed
 * @param expiresAt when the purge may delete it
 * @param unchangedFor the time since the last change, by the database's clock
 */
public record StoredRecord(
        IdempotencyKey key,
        Protocol protocol,
        State state,
        Optional<Payload> payload,
        Optional<Failure> failure,
        Instant createdAt,
        Instant updatedAt,
        Instant expiresAt,
        Duration unchangedFor) {

    private static final Set<Protocol> WITH_FOLLOW_UP =
            EnumSet.of(Protocol.EXTERNAL_WITH_FOLLOW_UP, Protocol.FOLLOW_UP_OWED, Protocol.FOLLOW_UP_BROKEN_OFF);

    /**
     * Returns whether the attempt has not ended.
     *
     * @return true if it is pending
     */
    public boolean isPending() {
        return state == State.PENDING;
    }

    /**
     * Returns whether the effect is external, so that only a lookup or an operator can settle the attempt.
     *
     * @return true for each external protocol
     */
    public boolean isExternal() {
        return protocol == Protocol.EXTERNAL || hasFollowUp();
    }

    /**
     * Returns whether a follow-up of the external effect commits with the record, so that only an application with that
     * follow-up can settle the attempt.
     *
     * @return true for the external protocols with a follow-up
     */
    public boolean hasFollowUp() {
        return WITH_FOLLOW_UP.contains(protocol);
    }

    /** Whether an operator may resolve it: an external attempt, or a transaction that its work ended by SQL text. */
    boolean isResolvable() {
        return isExternal() || (isPending() && protocol == Protocol.SINGLE_TRANSACTION);
    }

    /**
     * Returns how the attempt ends, or that it has ended. The record does not say what its operation does about a dead
     * leader.
     *
     * @return sentences for an operator
     */
    public String ending() {
        if (state == State.UNKNOWN || protocol == Protocol.UNKNOWN) {
            return "This record was written by a newer version of the library. Use the tools of that version.";
        }
        if (!isPending()) {
            return "This attempt has already ended.";
        }
        return protocol == Protocol.CLAIM_FIRST
                ? "If the leader of this attempt has died, the next call with its key after the grace period settles"
                        + " it: whenAbandoned(FAIL, ...), the default, stores a failure, and TAKE_OVER runs the work"
                        + " again. With LEAVE, no call settles it: deploy the operation with FAIL or TAKE_OVER."
                : "Only a lookup or an operator settles this attempt: in the application or, without a follow-up, on"
                        + " the command line.";
    }

    @Override
    public String toString() {
        return "StoredRecord[" + key + ", " + protocol + ", " + state + ", unchanged for " + unchangedFor.toSeconds()
                + " s]";
    }

    /** Whether and how an attempt has ended. */
    public enum State {
        /** A leader is at work or gone. */
        PENDING("P"),
        /** The effect exists. */
        SUCCEEDED("S"),
        /** There is and will be no effect. */
        FAILED("F"),
        /** The column contains a letter that this version does not know. */
        UNKNOWN("");

        private final String letter;

        State(String letter) {
            this.letter = letter;
        }

        static State of(String letter) {
            return Arrays.stream(values())
                    .filter(one -> one.letter.equals(letter))
                    .findFirst()
                    .orElse(UNKNOWN);
        }

        /** In lower case. */
        @Override
        public String toString() {
            return Characters.lowerCaseAscii(name());
        }
    }

    /** The protocol of an attempt. */
    public enum Protocol {
        /** The claim is committed before the work. */
        CLAIM_FIRST("C", "claim first"),
        /** Claim, work and mark share one transaction; includes record last. */
        SINGLE_TRANSACTION("S", "single transaction"),
        /** The effect is external. */
        EXTERNAL("E", "external"),
        /** The effect is external, and its follow-up commits with the record. */
        EXTERNAL_WITH_FOLLOW_UP("T", "external with follow-up"),
        /** The effect exists, and its follow-up is outstanding. */
        FOLLOW_UP_OWED("K", "follow-up owed"),
        /** The follow-up ended its transaction, so part of it may be committed. */
        FOLLOW_UP_BROKEN_OFF("B", "follow-up broken off"),
        /** The column contains a letter that this version does not know. */
        UNKNOWN("", "unknown");

        private final String letter;
        private final String words;

        Protocol(String letter, String words) {
            this.letter = letter;
            this.words = words;
        }

        static Protocol of(String letter) {
            return Arrays.stream(values())
                    .filter(one -> one.letter.equals(letter))
                    .findFirst()
                    .orElse(UNKNOWN);
        }

        /** In words, such as {@code claim first}. */
        @Override
        public String toString() {
            return words;
        }
    }
}
