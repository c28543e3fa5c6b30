package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Batch
import io.counterpoint.idempotency.Done
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.Lookup
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.io.IOException
import kotlin.time.Duration.Companion.hours
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/** Each kind of operation takes a lambda without a type argument. That this compiles is half of each test. */
class CallsTest {
    private val idempotency = Idempotency.on(InMemoryIdempotencyStore())
    private val attempt = Attempt.inScope("user:42").key("k").request("r")
    private val effects = mutableListOf<Any>()

    @Test
    fun operationIsCalledLikeAFunction() {
        val pay = idempotency.operation("pay", ResultCodec.string()).build()
        repeat(2) {
            val outcome: Outcome<String> = pay(attempt) { transaction ->
                transaction.onCommit { effects.add("paid") }
                "receipt"
            }
            assertThat(outcome.isReplay).isEqualTo(it == 1)
            assertThat(outcome.orElseThrow()).isEqualTo("receipt")
        }
        assertThat(effects).containsExactly("paid")
    }

    @Test
    fun checkedExceptionIsRethrownUnwrapped() {
        val pay = idempotency.operation("pay", ResultCodec.string()).build()
        val unplugged = IOException("unplugged")
        assertThatThrownBy { pay(attempt) { throw unplugged } }.isSameAs(unplugged)
    }

    @Test
    fun workWithoutResultReturnsNothing() {
        val register = idempotency.operation("register").build()
        val notify = idempotency.external("notify", ResultCodec.done()) { Lookup.notYet() }.build()
        repeat(2) {
            val registered = register(attempt) { transaction -> transaction.onCommit { effects.add("registered") } }
            val notified = notify(attempt) { key -> if (key.scope() == "user:42") effects.add("notified") }
            assertThat(listOf(registered, notified).map { it.orElseThrow() }).containsOnly(Done.DONE)
        }
        assertThat(register(attempt) { Done.DONE }.isReplay).isTrue()
        assertThat(effects).containsExactly("registered", "notified")
    }

    @Test
    fun plannedOperationTakesItsPlanAndItsWork() {
        val create = idempotency.operation("create", ResultCodec.string()).planned().build()
        val plans = mutableListOf("second", "first")
        repeat(2) {
            val outcome = create(attempt, plan = { plans.removeLast() }) { transaction, planned ->
                transaction.onCommit { effects.add(planned) }
            }
            assertThat(outcome.orNull()).isEqualTo("first")
        }
        assertThat(effects).containsExactly("first")
    }

    @Test
    fun externalOperationTakesTheKey() {
        val charge = idempotency.external("charge", ResultCodec.string()) { Lookup.notYet() }.build()
        repeat(2) {
            val outcome = charge(attempt) { key -> key.hash().also(effects::add) }
            assertThat(outcome.orNull()).isEqualTo(charge.keyOf(attempt).hash())
        }
        assertThat(effects).hasSize(1)
    }

    @Test
    fun plannedExternalOperationTakesTheKeyAndThePlan() {
        val send = idempotency.external("send", ResultCodec.string()) { Lookup.notYet() }.planned().build()
        val outcome = send(attempt, plan = { "m-1" }) { key, planned -> effects.addAll(listOf(key, planned)) }
        assertThat(outcome.orNull()).isEqualTo("m-1")
        assertThat(effects).containsExactly(send.keyOf(attempt), "m-1")
    }

    @Test
    fun providerTakesTheRequest() {
        val pay = idempotency
            .provider("pay", ResultCodec.string(), ResultCodec.string()) { _, order -> "charged $order" }
            .rememberedFor(24.hours)
            .build()
        assertThat(pay(attempt, "order").orNull()).isEqualTo("charged order")
    }

    /** The members of a batch have no type parameter for what is thrown, so they need no extension. */
    @Test
    fun batchesTakeLambdasAsTheyAre() {
        val pay = idempotency.operation("pay", ResultCodec.string()).build()
        val attempts = listOf("a", "b").map { Attempt.inScope("user:42").key(it).request("r") }
        val each = Batch.inOneTransaction(pay).executeEach(attempts) { _, item -> "paid ${item.index}" }
        val all = Batch.inOneTransaction(pay).executeAll(attempts) { _, _ -> error("all are replayed") }
        assertThat(each.map { it.orElseThrow().orNull() }).containsExactly("paid 0", "paid 1")
        assertThat(all.map { it.orElseThrow().orNull() }).containsExactly("paid 0", "paid 1")
    }

    @Test
    fun outcomeIsNullOrCoveredByAWhenWithoutElse() {
        val pay = idempotency.operation("pay", ResultCodec.string()).build()
        fun words(outcome: Outcome<String>) = when (outcome) {
            is Outcome.Completed -> outcome.result()
            is Outcome.InProgress -> "in progress for ${outcome.age()}"
            is Outcome.Rejected -> outcome.failure().code()
            is Outcome.KeyReused -> "key reused"
        }
        val reused = Attempt.inScope("user:42").key("k").request("another")
        val failing = Attempt.inScope("user:42").key("k2").request("r")
        assertThat(words(pay(attempt) { "receipt" })).isEqualTo("receipt")
        assertThat(words(pay(reused) { "receipt" })).isEqualTo("key reused")
        assertThat(pay(reused) { "receipt" }.orNull()).isNull()
        assertThatThrownBy { pay(failing) { error("closed") } }.hasMessage("closed")
        assertThat(words(pay(failing) { "receipt" })).isEqualTo("IllegalStateException")
    }
}
