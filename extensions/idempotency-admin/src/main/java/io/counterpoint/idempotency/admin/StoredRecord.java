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
 * A record as stored in the table. Its text contains no scope, key, payload or failure message.
 *
 * @param key the key; show {@link IdempotencyKey#hash()} instead of it
 * @param protocol by which protocol the attempt is executed
 * @param state whether it has ended, and how
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
     * Whether the attempt has not ended.
     *
     * @return true if it is pending
     */
    public boolean isPending() {
        return state == State.PENDING;
    }

    /**
     * Whether the effect is elsewhere, so that only a lookup or an operator can end the attempt.
     *
     * @return true for each external protocol
     */
    public boolean isExternal() {
        return protocol == Protocol.EXTERNAL || hasFollowUp();
    }

    /**
     * Whether the follow-up of the external effect commits with its record, so that only an application with that
     * follow-up can end the attempt.
     *
     * @return true for the external protocols with a follow-up
     */
    public boolean hasFollowUp() {
        return WITH_FOLLOW_UP.contains(protocol);
    }

    /** Whether an operator may end it: an external attempt, or a transaction that its work ended with SQL. */
    boolean isResolvable() {
        return isExternal() || (isPending() && protocol == Protocol.SINGLE_TRANSACTION);
    }

    @Override
    public String toString() {
        return "StoredRecord[" + key + ", " + protocol + ", " + state + ", unchanged for " + unchangedFor.toSeconds()
                + " s]";
    }

    /** Whether an attempt has ended, and how. */
    public enum State {
        /** A leader is still running, or has died. */
        PENDING("P"),
        /** The effect exists. */
        SUCCEEDED("S"),
        /** There is no effect, and never will be. */
        FAILED("F"),
        /** This version does not know the column's letter. */
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

    /** By which protocol an attempt is executed. */
    public enum Protocol {
        /** The claim is committed before the work. */
        CLAIM_FIRST("C", "claim first"),
        /** Claim, work and mark are one transaction; record last too. */
        SINGLE_TRANSACTION("S", "single transaction"),
        /** The effect is elsewhere. */
        EXTERNAL("E", "external"),
        /** The effect is elsewhere, and its follow-up commits with the record. */
        EXTERNAL_WITH_FOLLOW_UP("T", "external with follow-up"),
        /** The effect exists, and its follow-up is owed. */
        FOLLOW_UP_OWED("K", "follow-up owed"),
        /** The follow-up ended its transaction, so part of it may be committed. */
        FOLLOW_UP_BROKEN_OFF("B", "follow-up broken off"),
        /** This version does not know the column's letter. */
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
