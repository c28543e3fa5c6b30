package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Batch
import io.counterpoint.idempotency.ExternalOperation
import io.counterpoint.idempotency.IdempotencyKey
import io.counterpoint.idempotency.Lookup
import io.counterpoint.idempotency.Operation
import io.counterpoint.idempotency.OperationBuilder
import io.counterpoint.idempotency.PlannedExternalOperation
import io.counterpoint.idempotency.PlannedOperation
import io.counterpoint.idempotency.ProviderOperation
import java.util.Optional
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/** Sets how long a record is kept and answers retries: `retention(7.days)`. See the Java function of the same name. */
public fun <S : OperationBuilder<S>> S.retention(retention: Duration): S = retention(retention.toJavaDuration())

/** Sets how long followers wait for a running leader. */
public fun <S : OperationBuilder<S>> S.waitAtMost(wait: Duration): S = waitAtMost(wait.toJavaDuration())

/** Sets how long a call tries to resolve a commit whose reply was lost. */
public fun <S : OperationBuilder<S>> S.settleWithin(bound: Duration): S = settleWithin(bound.toJavaDuration())

/** Sets what a follower does with an attempt whose leader seems to be dead, and when. */
public fun <C : Any, R : Any> Operation.Builder<C, R>.whenAbandoned(
    abandoned: Operation.Abandoned,
    after: Duration,
): Operation.Builder<C, R> = whenAbandoned(abandoned, after.toJavaDuration())

/** Sets what a follower does with an attempt whose leader seems to be dead, and when. */
public fun <C : Any, R : Any> PlannedOperation.Builder<C, R>.whenAbandoned(
    abandoned: Operation.Abandoned,
    after: Duration,
): PlannedOperation.Builder<C, R> = whenAbandoned(abandoned, after.toJavaDuration())

/** Declares how long the provider remembers a key. */
public fun <C : Any, R : Any> ExternalOperation.Builder<C, R>.rememberedFor(
    memory: Duration,
): ExternalOperation.Builder<C, R> = rememberedFor(memory.toJavaDuration())

/** Declares how long the provider remembers a key. */
public fun <C : Any, R : Any> PlannedExternalOperation.Builder<C, R>.rememberedFor(
    memory: Duration,
): PlannedExternalOperation.Builder<C, R> = rememberedFor(memory.toJavaDuration())

/** Declares how long the provider remembers a key. */
public fun <C : Any, Q : Any, A : Any> ProviderOperation.Builder<C, Q, A>.rememberedFor(
    memory: Duration,
): ProviderOperation.Builder<C, Q, A> = rememberedFor(memory.toJavaDuration())

/** Sets the time after which a batch starts no more transactions. */
public fun <C : Any, R : Any> Batch<C, R>.within(time: Duration): Batch<C, R> = within(time.toJavaDuration())

/**
 * Lets followers of a `Pending` record look for the effect by its key, as `lookUpByKey` does with an `Optional`.
 *
 * @param lookUp takes a transaction on the primary database and the key that the work stored with the effect. It returns the
 *   result, or null if the effect does not exist
 * @return this builder
 */
public fun <C : Any, R : Any> Operation.Builder<C, R>.lookUpByKeyOrNull(
    lookUp: (C, IdempotencyKey) -> R?,
): Operation.Builder<C, R> = lookUpByKey { handle, key -> Optional.ofNullable(lookUp(handle, key)) }

/** Lets followers of a `Pending` record look for the effect by its key, as for an [Operation]. */
public fun <C : Any, R : Any> PlannedOperation.Builder<C, R>.lookUpByKeyOrNull(
    lookUp: (C, IdempotencyKey) -> R?,
): PlannedOperation.Builder<C, R> = lookUpByKey { handle, key -> Optional.ofNullable(lookUp(handle, key)) }

/**
 * Returns the result of an external operation's lookup: [Lookup.found] or, for null, [Lookup.notYet], which proves nothing.
 *
 * @param result the result of the effect, if it was found
 * @return the result of the lookup
 */
public fun <R : Any> lookupOf(result: R?): Lookup<R> = if (result == null) Lookup.notYet() else Lookup.found(result)
