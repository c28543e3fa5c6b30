package io.counterpoint.idempotency;

import java.util.Optional;

/**
 * An operator's view of an operation with an external effect, to end its unresolved attempts. Each method changes
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
     * Runs the lookup now, and settles the attempt, follow-up included, if the lookup can tell its outcome. For a
     * {@link ProviderOperation}, the lookup is the stored request. If the outcome is not known yet, nothing changes. It
     * does not wait for other calls.
     *
     * @param key the key
     * @return the outcome that retries return from now on; {@link Outcome.InProgress} if the outcome is not known yet;
     *     empty if the key has no record
     * @throws OutcomeUnknownException if the lookup or the follow-up failed, or may have failed
     * @throws IdempotencyException if the store is unreachable
     */
    Optional<Outcome<R>> settle(IdempotencyKey key);

    /**
     * Declares, on an operator's decision, that the attempt took effect. The follow-up runs, if one is owed. If it
     * broke off because it ended its own transaction, the operator has to complete it first.
     *
     * @param key the key
     * @param result the result; ignored where the record {@linkplain #knowsResult has it}
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws IdempotencyException if the store is unreachable, the result cannot be stored, or the follow-up failed
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
     * @throws IdempotencyException if the store is unreachable
     */
    Optional<Outcome<R>> resolveFailed(IdempotencyKey key, Failure failure);

    /**
     * Whether an attempt has begun but not ended: a call is working on it, or its outcome is not known yet. It does not
     * call the lookup.
     *
     * @param key the key
     * @return whether its record is {@code Pending}
     * @throws NotStartedException if the store is unreachable
     */
    boolean isUnresolved(IdempotencyKey key);

    /**
     * Whether the record of an unresolved attempt has its result: the attempt was planned, or its effect is known.
     *
     * @param key the key
     * @return whether it has; false if the attempt is not unresolved
     * @throws IdempotencyException if the store is unreachable, or its record cannot be read
     */
    boolean knowsResult(IdempotencyKey key);
}
