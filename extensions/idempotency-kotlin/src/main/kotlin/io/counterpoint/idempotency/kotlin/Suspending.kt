@file:OptIn(ExperimentalTypeInference::class)

package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Done
import io.counterpoint.idempotency.ExternalOperation
import io.counterpoint.idempotency.IdempotencyException
import io.counterpoint.idempotency.IdempotencyKey
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.OutcomeUnknownException
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import kotlin.experimental.ExperimentalTypeInference
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.withContext

/**
 * Executes an attempt with an external effect whose work suspends, such as a call of an asynchronous HTTP client. Like
 * [ExternalOperation.executeAsync], with the following differences. Requires `kotlinx-coroutines-core`.
 *
 * Claim, work and record run on the dispatcher. The claim and the record block its thread for a call to the store each,
 * so the dispatcher must be one for blocking calls. No thread and no connection are held while the work is suspended.
 * With `waitAtMost`, a duplicate blocks a thread while it waits, so the dispatcher must have another one for the work.
 *
 * A cancelled caller gets a `CancellationException`, and nothing is concluded from it:
 * - before the claim, nothing is done, and the key is unused;
 * - while the claim is made, the claim is finished and the work is cancelled when it first suspends;
 * - while the work is suspended, the work is cancelled and the record stays `Pending`, until a lookup or an operator
 *   resolves it. Exceptions of the work then prove nothing, even if `noEffectWhen`, `releaseWhenNoEffect` or `refusedWhen`
 *   would accept them. If it returns a result instead, that is recorded;
 * - while the record is written, writing is completed first.
 *
 * Work that ends with a `CancellationException` although the caller is active, or with one as a cause, such as that of
 * `withTimeout`, leaves the record `Pending` too. The call then throws an [OutcomeUnknownException] that has the exception
 * suppressed. A client may replace it with its own exception without that cause, which a predicate may accept, so put
 * timeouts around the call, not inside the work.
 *
 * @param attempt the attempt: scope, key and request
 * @param dispatcher runs claim, work and record
 * @param work causes the effect and returns the result. It takes the key, to store with the effect or to pass its hash
 *   downstream. An exception proves nothing unless the operation declares that it does
 * @return the outcome of the attempt
 * @throws IdempotencyException if the effect may or may not have happened, the store cannot be reached, or a result cannot be
 *   stored or read
 */
public suspend fun <R : Any> ExternalOperation<R>.executeSuspending(
    attempt: Attempt,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
    work: suspend (IdempotencyKey) -> R,
): Outcome<R> = withContext(dispatcher) {
    val effect = CompletableFuture<R>()
    var claimed: IdempotencyKey? = null
    val outcome = executeAsync(attempt) { key -> effect.also { claimed = key } }
    // The thread that completes the effect writes the record, so it has to be this one.
    val cancelled = claimed?.let { key -> complete(effect) { work(key) } }
    try {
        outcome.await()
    } catch (unknown: OutcomeUnknownException) {
        cancelled?.let(unknown::addSuppressed)
        throw unknown
    }
}

/** Executes an attempt with a suspending external effect without a result, so the work need not return [Done.DONE]. */
@OverloadResolutionByLambdaReturnType
@JvmName("executeSuspendingUnit")
public suspend fun ExternalOperation<Done>.executeSuspending(
    attempt: Attempt,
    dispatcher: CoroutineDispatcher = Dispatchers.IO,
    work: suspend (IdempotencyKey) -> Unit,
): Outcome<Done> = executeSuspending<Done>(attempt, dispatcher) { key -> Done.DONE.also { work(key) } }

/** Far more than any real chain has; a circle of causes has no end. */
private const val MAX_CAUSES = 1000

/** Completes the effect with what the work returns or throws. Returns the cancellation of work whose caller is active. */
private suspend fun <R : Any> CoroutineScope.complete(effect: CompletableFuture<R>, work: suspend () -> R): Throwable? {
    val result = try {
        work()
    } catch (thrown: Throwable) {
        if (isActive && generateSequence(thrown) { it.cause }.take(MAX_CAUSES).none { it is CancellationException }) {
            effect.completeExceptionally(thrown)
            return null
        }
        // Null is the only ending to which no user predicate is applied.
        effect.complete(null)
        ensureActive()
        return thrown
    }
    effect.complete(result)
    return null
}
