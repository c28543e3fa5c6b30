@file:OptIn(ExperimentalTypeInference::class)

package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Done
import io.counterpoint.idempotency.ExternalOperation
import io.counterpoint.idempotency.IdempotencyException
import io.counterpoint.idempotency.IdempotencyKey
import io.counterpoint.idempotency.Operation
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.PlannedExternalOperation
import io.counterpoint.idempotency.PlannedOperation
import io.counterpoint.idempotency.ProviderOperation
import io.counterpoint.idempotency.function.CheckedBiConsumer
import io.counterpoint.idempotency.function.CheckedFunction
import kotlin.experimental.ExperimentalTypeInference

/**
 * Executes an attempt, or returns the outcome of an earlier call with the same key, as [Operation.execute] does:
 * `pay(attempt) { handle -> … }`.
 *
 * The work may run several times, each time after the previous run was rolled back. It is not suspending, because a
 * transaction belongs to its thread.
 *
 * @param attempt the attempt: scope, key and request
 * @param work does everything through the handle that it takes, and returns the result. Exceptions, even checked ones,
 *   are rethrown unwrapped
 * @return the outcome of the attempt
 * @throws IdempotencyException if the store cannot be reached, the outcome of a commit remains unknown, or a result cannot be
 *   stored or read
 */
public operator fun <C : Any, R : Any> Operation<C, R>.invoke(attempt: Attempt, work: (C) -> R): Outcome<R> =
    execute(attempt, CheckedFunction<C, R, Exception> { handle -> work(handle) })

/** Executes an attempt of an operation without a result, so the work need not return [Done.DONE]. */
@OverloadResolutionByLambdaReturnType
@JvmName("invokeUnit")
public operator fun <C : Any> Operation<C, Done>.invoke(attempt: Attempt, work: (C) -> Unit): Outcome<Done> =
    execute(attempt, CheckedFunction<C, Done, Exception> { handle -> Done.DONE.also { work(handle) } })

/**
 * Executes an attempt whose result is known before the work, as [PlannedOperation.execute] does:
 * `create(attempt, plan = { newGroup() }) { handle, group -> … }`.
 *
 * @param attempt the attempt: scope, key and request
 * @param plan creates the result. It must be cheap and free of side effects, because it also runs for calls that turn out to
 *   be replays
 * @param work takes the handle and the stored plan, and carries the plan out or throws
 * @return the outcome of the attempt
 */
public operator fun <C : Any, R : Any> PlannedOperation<C, R>.invoke(
    attempt: Attempt,
    plan: () -> R,
    work: (C, R) -> Unit,
): Outcome<R> = execute(attempt, plan, CheckedBiConsumer<C, R, Exception> { handle, planned -> work(handle, planned) })

/**
 * Executes an attempt with an external effect, as [ExternalOperation.execute] does: `charge(attempt) { key -> … }`. For work
 * that suspends see [executeSuspending].
 *
 * @param attempt the attempt: scope, key and request
 * @param work causes the effect and returns the result. It takes the key, to store with the effect or to pass its hash
 *   downstream. An exception proves nothing unless the operation declares that it does
 * @return the outcome of the attempt
 * @throws IdempotencyException if the effect may or may not have happened, the store cannot be reached, or a result cannot be
 *   stored or read
 */
public operator fun <R : Any> ExternalOperation<R>.invoke(attempt: Attempt, work: (IdempotencyKey) -> R): Outcome<R> =
    execute(attempt, CheckedFunction<IdempotencyKey, R, Exception> { key -> work(key) })

/** Executes an attempt with an external effect without a result, so the work need not return [Done.DONE]. */
@OverloadResolutionByLambdaReturnType
@JvmName("invokeUnit")
public operator fun ExternalOperation<Done>.invoke(attempt: Attempt, work: (IdempotencyKey) -> Unit): Outcome<Done> =
    execute(attempt, CheckedFunction<IdempotencyKey, Done, Exception> { key -> Done.DONE.also { work(key) } })

/**
 * Executes an attempt with an external effect whose result is known before the work, as [PlannedExternalOperation.execute]
 * does.
 *
 * @param attempt the attempt: scope, key and request
 * @param plan creates the result. It must be cheap and free of side effects, because it also runs for calls that turn out to
 *   be replays
 * @param work takes the key and the plan, and carries the plan out. An exception proves nothing unless the operation
 *   declares that it does
 * @return the outcome of the attempt
 */
public operator fun <R : Any> PlannedExternalOperation<R>.invoke(
    attempt: Attempt,
    plan: () -> R,
    work: (IdempotencyKey, R) -> Unit,
): Outcome<R> =
    execute(attempt, plan, CheckedBiConsumer<IdempotencyKey, R, Exception> { key, planned -> work(key, planned) })

/** Sends a request to a provider with idempotency keys, as [ProviderOperation.execute] does: `pay(attempt, order)`. */
public operator fun <Q : Any, A : Any> ProviderOperation<Q, A>.invoke(attempt: Attempt, request: Q): Outcome<A> =
    execute(attempt, request)
