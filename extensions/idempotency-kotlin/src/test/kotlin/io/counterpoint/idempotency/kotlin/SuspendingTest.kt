package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Done
import io.counterpoint.idempotency.ExternalOperation
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.IdempotencyEvent
import io.counterpoint.idempotency.IdempotencyListener
import io.counterpoint.idempotency.Lookup
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.OutcomeUnknownException
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.io.IOException
import java.net.ConnectException
import java.time.Duration
import java.util.concurrent.Executors
import kotlin.coroutines.ContinuationInterceptor
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.job
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Assertions.assertTimeoutPreemptively
import org.junit.jupiter.api.Test

/** Suspending work, and what is known of its effect when its caller is cancelled. */
class SuspendingTest {
    private val attempt = Attempt.inScope("user:42").key("k").request("r")
    private var onClaim: () -> Unit = {}
    private var onRecord: () -> Unit = {}
    private val store = InMemoryIdempotencyStore()
    private val idempotency = Idempotency.builder(store)
        .listener(IdempotencyListener.on(IdempotencyEvent.Claimed::class.java) { onClaim() })
        .build()

    /** Declares that whatever is thrown proves that there is no effect. */
    private val charge: ExternalOperation<String> = idempotency
        .external("charge", ResultCodec.string()) { Lookup.notYet() }
        .noEffectWhen { true }
        .refusedWhen { true }
        .releaseWhenNoEffect { true }
        .then { _, _, _ -> onRecord() }
        .build()

    private fun retry() = charge(attempt) { error("the work runs once") }

    @Test
    fun resultOfSuspendedWorkIsReturnedAndReplayed() {
        val executed = runBlocking { charge.executeSuspending(attempt) { key -> key.hash().also { yield() } } }
        val replayed = runBlocking { charge.executeSuspending(attempt) { error("the work runs once") } }
        assertThat(executed).isInstanceOf(Outcome.Executed::class.java)
        assertThat(executed.orNull()).isEqualTo(charge.keyOf(attempt).hash())
        assertThat(replayed).isInstanceOf(Outcome.Replayed::class.java)
    }

    @Test
    fun workWithoutResultReturnsNothing() {
        val notify = idempotency.external("notify", ResultCodec.done()) { Lookup.notYet() }.build()
        var runs = 0
        repeat(2) {
            val outcome: Outcome<Done> = runBlocking { notify.executeSuspending(attempt) { yield(); runs++ } }
            assertThat(outcome.orElseThrow()).isEqualTo(Done.DONE)
        }
        assertThat(runs).isEqualTo(1)
    }

    @Test
    fun claimWorkAndRecordRunOnTheDispatcher() {
        val threads = mutableListOf<String>()
        val note = { threads.add(Thread.currentThread().name.substringBefore(" @")); Unit }
        onClaim = note
        onRecord = note
        Executors.newSingleThreadExecutor { Thread(it, "own") }.asCoroutineDispatcher().use { own ->
            runBlocking {
                charge.executeSuspending(attempt, own) {
                    withContext(Dispatchers.Default) { yield() }
                    note()
                    "charged"
                }
            }
        }
        assertThat(threads).containsExactly("own", "own", "own")
    }

    @Test
    fun dispatcherIsThatForBlockingCallsUnlessSet() {
        val dispatchers = mutableListOf<Any?>()
        runBlocking {
            charge.executeSuspending(attempt) { "charged".also { dispatchers.add(currentCoroutineContext()[ContinuationInterceptor]) } }
        }
        assertThat(dispatchers).containsExactly(Dispatchers.IO)
    }

    @Test
    fun declaredExceptionOfActiveWorkIsRethrownAndRecorded() {
        assertThatThrownBy { runBlocking { charge.executeSuspending(attempt) { throw ConnectException("refused") } } }
            .isInstanceOf(ConnectException::class.java)
            .hasMessage("refused")
        assertThat(store.read(charge.keyOf(attempt))).isEmpty()
    }

    @Test
    fun undeclaredExceptionLeavesTheOutcomeUnknown() {
        val send = idempotency.external("send", ResultCodec.string()) { Lookup.notYet() }.build()
        assertThatThrownBy { runBlocking { send.executeSuspending(attempt) { throw IOException("timed out") } } }
            .isInstanceOf(OutcomeUnknownException::class.java)
            .hasRootCauseMessage("timed out")
        assertThat(send.isUnresolved(send.keyOf(attempt))).isTrue()
    }

    @Test
    fun callerCancelledBeforeTheClaimHasDoneNothing() {
        assertThatCancelled {
            async {
                currentCoroutineContext().cancel()
                charge.executeSuspending(attempt) { error("never runs") }
            }
        }
        assertThat(store.read(charge.keyOf(attempt))).isEmpty()
    }

    @Test
    fun callerCancelledDuringTheClaimLeavesTheRecordPending() {
        var began = false
        assertThatCancelled {
            async {
                val caller = currentCoroutineContext().job
                onClaim = { caller.cancel() }
                charge.executeSuspending(attempt) {
                    began = true
                    yield()
                    "never returned"
                }
            }
        }
        assertThat(began).isTrue()
        assertThatPending()
    }

    @Test
    fun callerCancelledDuringTheWorkLeavesTheRecordPending() {
        assertThatCancelled { cancelledDuring { awaitCancellation() } }
        assertThatPending()
    }

    /** As a client does that closes its connection when it is cancelled. */
    @Test
    fun whatCancelledWorkThrowsProvesNothing() {
        assertThatCancelled {
            cancelledDuring {
                try {
                    awaitCancellation()
                } catch (_: CancellationException) {
                    throw IOException("Socket closed")
                }
            }
        }
        assertThatPending()
    }

    @Test
    fun resultOfCancelledWorkIsRecorded() {
        assertThatCancelled {
            cancelledDuring { cancelled ->
                withContext(NonCancellable) { cancelled.await() }
                "charged"
            }
        }
        assertThat(retry()).isInstanceOf(Outcome.Replayed::class.java)
        assertThat(retry().orNull()).isEqualTo("charged")
    }

    @Test
    fun callerCancelledWhileTheRecordIsWrittenFindsItByARetry() {
        assertThatCancelled {
            async {
                val caller = currentCoroutineContext().job
                onRecord = { caller.cancel() }
                charge.executeSuspending(attempt) { "charged" }
            }
        }
        assertThat(retry()).isInstanceOf(Outcome.Replayed::class.java)
    }

    /** Its exception is a CancellationException, which would silently end an active caller. */
    @Test
    fun timeoutInsideTheWorkLeavesTheOutcomeUnknownToAnActiveCaller() {
        assertThatThrownBy {
            runBlocking { charge.executeSuspending(attempt) { withTimeout(1.milliseconds) { awaitCancellation() } } }
        }
            .isInstanceOf(OutcomeUnknownException::class.java)
            .satisfies({ assertThat(it.suppressed).hasAtLeastOneElementOfType(CancellationException::class.java) })
        assertThatPending()
    }

    @Test
    fun exceptionCausedByATimeoutInsideTheWorkIsNoEvidence() {
        assertThatThrownBy {
            runBlocking {
                charge.executeSuspending(attempt) {
                    try {
                        withTimeout(1.milliseconds) { awaitCancellation() }
                    } catch (timeout: CancellationException) {
                        throw IOException("the client closed its connection", timeout)
                    }
                }
            }
        }
            .isInstanceOf(OutcomeUnknownException::class.java)
            .satisfies({ assertThat(it.suppressed).hasAtLeastOneElementOfType(IOException::class.java) })
        assertThatPending()
    }

    @Test
    fun exceptionWhoseCausesGoInACircleIsReadOnce() {
        val cause = IOException("refused")
        val thrown = ConnectException("refused").apply { initCause(cause) }
        cause.initCause(thrown)
        assertTimeoutPreemptively(Duration.ofSeconds(30)) {
            assertThatThrownBy { runBlocking { charge.executeSuspending(attempt) { throw thrown } } }
                .isInstanceOf(ConnectException::class.java)
        }
    }

    /** Begins work, cancels its caller as soon as the work runs, and tells the work so. */
    private suspend fun CoroutineScope.cancelledDuring(
        work: suspend (cancelled: Deferred<Unit>) -> String,
    ): Deferred<Outcome<String>> {
        val began = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        return async { charge.executeSuspending(attempt) { began.complete(Unit); work(cancelled) } }.also {
            began.await()
            it.cancel()
            cancelled.complete(Unit)
        }
    }

    private fun assertThatCancelled(begin: suspend CoroutineScope.() -> Deferred<Outcome<String>>) {
        val caller = runBlocking { supervisorScope { begin().also { it.join() } } }
        assertThat(caller.isCancelled).isTrue()
        assertThatThrownBy { runBlocking { caller.await() } }.isInstanceOf(CancellationException::class.java)
    }

    private fun assertThatPending() {
        onClaim = {}
        assertThat(charge.isUnresolved(charge.keyOf(attempt))).isTrue()
        assertThat(retry()).isInstanceOf(Outcome.InProgress::class.java)
    }
}
