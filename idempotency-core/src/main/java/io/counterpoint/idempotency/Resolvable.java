package io.counterpoint.idempotency;

import java.util.Optional;

/**
 * An operation with an external effect, as seen by an operator who settles unresolved attempts. The methods change only
 * {@code Pending} records, claim nothing and never run the work.
 *
 * @param <R> the type of the result
 */
public sealed interface Resolvable<R> permits AbstractExternalOperation {

    /**
     * Returns the operation's name.
     *
     * @return the name, part of every key
     */
    String name();

    /**
     * Runs the lookup now and, if the lookup can tell the outcome, settles the attempt, including its follow-up. The
     * lookup of a {@link ProviderOperation} resends the stored request. If nothing is known yet, nothing changes. This
     * method does not wait for other calls.
     *
     * @param key the key
     * @return the outcome that retries return from now on; {@link Outcome.InProgress} if nothing is known yet; empty if
     *     the key has no record
     * @throws OutcomeUnknownException if the lookup or the follow-up failed, or it is unknown whether it did
     * @throws IdempotencyException if the store could not be queried
     */
    Optional<Outcome<R>> settle(IdempotencyKey key);

    /**
     * Declares, on an operator's decision, that the attempt took effect. An outstanding follow-up is run; if it was
     * interrupted because it ended its own transaction, the operator must have completed it.
     *
     * @param key the key
     * @param result the result; ignored if the record {@linkplain #knowsResult already contains it}
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws IdempotencyException if the store could not be queried, the result cannot be stored or the follow-up
     *     failed
     */
    Optional<Outcome<R>> resolveSucceeded(IdempotencyKey key, R result);

    /**
     * Like {@link #resolveSucceeded}, for a record that {@linkplain #knowsResult already contains the result}.
     *
     * @param key the key
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws MisuseException if it does not
     * @throws IdempotencyException as {@link #resolveSucceeded}
     */
    Optional<Outcome<R>> resolvePlanned(IdempotencyKey key);

    /**
     * Declares, on an operator's decision, that the attempt had no effect and, because its caller is gone, never will.
     *
     * @param key the key
     * @param failure why
     * @return the outcome that retries return from now on; empty if the key has no record
     * @throws MisuseException if the effect is known to exist and only its follow-up is outstanding
     * @throws IdempotencyException if the store could not be queried
     */
    Optional<Outcome<R>> resolveFailed(IdempotencyKey key, Failure failure);

    /**
     * Returns whether an attempt has begun but not ended: a call is working on it, or its outcome is not known yet.
     * Runs no lookup.
     *
     * @param key the key
     * @return whether its record is {@code Pending}
     * @throws NotStartedException if the store could not be queried
     */
    boolean isUnresolved(IdempotencyKey key);

    /**
     * Returns whether the record of an unresolved attempt contains its result, because the attempt was planned or its
     * effect is known to exist.
     *
     * @param key the key
     * @return whether it does; false if the attempt is not unresolved
     * @throws IdempotencyException if the store could not be queried or the stored result cannot be read
     */
    boolean knowsResult(IdempotencyKey key);
}
