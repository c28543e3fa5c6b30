package io.counterpoint.idempotency.spi;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a store keeps for a key. {@link Succeeded} and {@link Failed} are terminal: only a purge removes them.
 *
 * <p>The token consists of 128 random bits. It is new for every claim and every takeover and is never inserted twice.
 * Every write after the claim specifies it. It stays in a terminal record, so that a leader that lost a reply can
 * recognise its own record.
 */
public sealed interface IdempotencyRecord {

    /**
     * Returns the key.
     *
     * @return the key
     */
    IdempotencyKey key();

    /**
     * Returns the protocol under which the key was claimed. It binds every call that finds the record, regardless of
     * the call's own setting.
     *
     * @return the protocol
     */
    Protocol protocol();

    /**
     * Returns the token of the leader that may still write, or wrote last. A write that specifies a different token
     * changes nothing.
     *
     * @return 128 random bits
     */
    UUID token();

    /**
     * Returns the fingerprint of the request that claimed the key.
     *
     * @return the fingerprint
     */
    Fingerprint fingerprint();

    /**
     * Handles every state.
     *
     * @param <T> what the handlers return
     * @param pending handles an attempt that may or may not be committed
     * @param succeeded handles an attempt whose effect is committed
     * @param failed handles an attempt that has no effect and never will
     * @return what the handler of this state returned
     */
    default <T> T fold(
            Function<? super Pending, ? extends T> pending,
            Function<? super Succeeded, ? extends T> succeeded,
            Function<? super Failed, ? extends T> failed) {
        if (this instanceof Pending one) {
            return pending.apply(one);
        }
        if (this instanceof Succeeded one) {
            return succeeded.apply(one);
        }
        return failed.apply((Failed) this);
    }

    /**
     * An attempt that may or may not have committed.
     *
     * @param key the key
     * @param protocol the protocol of the claim
     * @param token the leader's token
     * @param fingerprint the request
     * @param plan the result, if it was known before the claim
     * @param age the time, by the store's clock, since the leader claimed, took over or announced another run; ignored
     *     in a claim
     */
    record Pending(
            IdempotencyKey key,
            Protocol protocol,
            UUID token,
            Fingerprint fingerprint,
            Optional<Payload> plan,
            Duration age)
            implements IdempotencyRecord {

        /**
         * Returns the record after a success.
         *
         * @param stored the encoded result; if empty, the plan remains the result
         * @return the record
         */
        public Succeeded succeeded(Optional<Payload> stored) {
            return new Succeeded(key, protocol, token, fingerprint, stored.or(this::plan));
        }

        /**
         * Returns the record after a failure.
         *
         * @param failure why
         * @return the record
         */
        public Failed failed(Failure failure) {
            return new Failed(key, protocol, token, fingerprint, failure);
        }

        /**
         * Returns the record after a takeover or a heartbeat. Its age restarts.
         *
         * @param leader the token of the leader that may write now
         * @return the record
         */
        public Pending ledBy(UUID leader) {
            return new Pending(key, protocol, leader, fingerprint, plan, Duration.ZERO);
        }

        /**
         * Returns the record after more has become known about an external attempt. Its age restarts.
         *
         * @param now the protocol from now on
         * @param leader the token from now on
         * @param stored the plan from now on; if empty, the current plan stays
         * @return the record
         */
        public Pending ledUnder(Protocol now, UUID leader, Optional<Payload> stored) {
            return new Pending(key, now, leader, fingerprint, stored.or(this::plan), Duration.ZERO);
        }
    }

    /**
     * An attempt whose effect is committed.
     *
     * @param key the key
     * @param protocol the protocol of the claim
     * @param token the token of the leader that succeeded
     * @param fingerprint the request
     * @param result the encoded result; empty if it could not be encoded after an external effect
     */
    record Succeeded(
            IdempotencyKey key, Protocol protocol, UUID token, Fingerprint fingerprint, Optional<Payload> result)
            implements IdempotencyRecord {}

    /**
     * An attempt that ended without effect.
     *
     * @param key the key
     * @param protocol the protocol of the claim
     * @param token the token of the leader that failed
     * @param fingerprint the request
     * @param failure why
     */
    record Failed(IdempotencyKey key, Protocol protocol, UUID token, Fingerprint fingerprint, Failure failure)
            implements IdempotencyRecord {}

    /** How a key is claimed and its success is marked. */
    enum Protocol {
        /** Claim in its own transaction; domain work and mark in the next one. A leader's death is arbitrated. */
        CLAIM_FIRST,
        /** Claim, domain work and mark in one transaction. */
        SINGLE_TRANSACTION,
        /** Claim; an external effect; then the mark. Never arbitrated. */
        EXTERNAL,
        /** Claim; an external effect; then its follow-up and the mark in one transaction. Never arbitrated. */
        EXTERNAL_THEN,
        /**
         * {@link #EXTERNAL_THEN} with a known effect: its result is the record's plan. The follow-up is outstanding.
         */
        FOLLOW_UP_OWED,
        /**
         * {@link #EXTERNAL_THEN}, and part of the follow-up may be committed without the mark. Only an operator can
         * settle it.
         */
        FOLLOW_UP_BROKEN;

        /** {@return whether the effect is external, so that a lock on the record proves nothing about it} */
        public boolean isExternal() {
            return this != CLAIM_FIRST && this != SINGLE_TRANSACTION;
        }

        /**
         * {@return whether a follow-up is outstanding, so that only an operation that has one may settle the record}
         */
        public boolean owesFollowUp() {
            return isExternal() && this != EXTERNAL;
        }
    }

    /** Encoded bytes; compared by content and never printed. */
    final class Payload {
        private final byte[] bytes;

        private Payload(byte[] bytes) {
            this.bytes = bytes;
        }

        /**
         * Returns a payload of these bytes.
         *
         * @param bytes the bytes; copied
         * @return the payload
         */
        public static Payload of(byte[] bytes) {
            return new Payload(bytes.clone());
        }

        /**
         * Returns the bytes.
         *
         * @return a new array
         */
        public byte[] toBytes() {
            return bytes.clone();
        }

        /**
         * Returns the number of bytes.
         *
         * @return the number
         */
        public int length() {
            return bytes.length;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Payload that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return bytes.length + " bytes";
        }
    }
}
