package io.counterpoint.idempotency;

import java.util.Optional;

/**
 * An operation with an external effect, as an operator sees it: how its unresolved attempts are ended. Each method changes
 * {@code Pending} records only, claims nothing, and never runs the work.
 *
 * @param <R> the type of the result
 */
public sealed interface Resolvable<R> permits AbstractExternalOperation, ProviderOperation {

    /**
     * The operation's name.
     *
     * @return the name, part of every key
     */
    String name();

    /**
     * Runs the lookup now, and settles the attempt, follow-up included, if the lookup can tell its outcome. Of a {@link
     * ProviderOperation} that is the stored request. Where nothing is known yet, nothing changes. It waits for no other call.
     *
     * @param key the key
     * @return the outcome that retries return from now on; {@link Outcome.InProgress} where nothing is known yet; empty if
     *     the key has no record
     * @throws OutcomeUnknownException if the lookup or the follow-up failed, or nobody knows whether it
     *     did
     * @throws IdempotencyException if the store could not be asked
     */
    Optional<Outcome<R>> settle(IdempotencyKey key);

    /**
     * Declares, on an operator's decision, that the attempt took effect. The follow-up runs, if one is owed; where it
     * has broken off by ending its transaction, the operator has completed it.
     *
     * @param key the key
     * @param result the result; ignored where the record {@linkplain #knowsResult has it}
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws IdempotencyException if the store could not be asked, the result cannot be stored or the follow-up failed
     */
    Optional<Outcome<R>> resolveSucceeded(IdempotencyKey key, R result);

    /**
     * The same, where the record {@linkplain #knowsResult has the result}.
     *
     * @param key the key
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws MisuseException if it has none
     * @throws IdempotencyException as {@link #resolveSucceeded}
     */
    Optional<Outcome<R>> resolvePlanned(IdempotencyKey key);

    /**
     * Declares, on an operator's decision, that the attempt had no effect and, because its caller is gone, never will.
     *
     * @param key the key
     * @param failure why
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws MisuseException if the effect is known, so that only its follow-up is owed
     * @throws IdempotencyException if the store could not be asked
     */
    Optional<Outcome<R>> resolveFailed(IdempotencyKey key, Failure failure);

    /**
     * Whether an attempt has begun and not ended: a call is at work on it, or nobody knows yet what became of it. Asks no
     * lookup.
     *
     * @param key the key
     * @return whether its record is {@code Pending}
     * @throws NotStartedException if the store could not be asked
     */
    boolean isUnresolved(IdempotencyKey key);

    /**
     * Whether the record of an unresolved attempt has its result: the attempt was planned, or its effect is known.
     *
     * @param key the key
     * @return whether it has; false if the attempt is not unresolved
     * @throws IdempotencyException if the store could not be asked, or what it has cannot be read
     */
    boolean knowsResult(IdempotencyKey key);
}
