package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Batch
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.IdempotencyException
import io.counterpoint.idempotency.Operation
import io.counterpoint.idempotency.Operation.Abandoned
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.UndecodableException
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.io.IOException
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

class BuildersTest {
    private val idempotency = Idempotency.on(InMemoryIdempotencyStore())
    private val attempt = Attempt.inScope("user:42").key("k").request("r")
    private val effects = mutableMapOf<String, String>()

    private fun external() =
        idempotency.external("charge", ResultCodec.string()) { lookupOf(effects[it.key().hash()]) }

    /** Java's functions check each value, and name it. */
    @Test
    fun durationsOfKotlinReachTheFunctionsOfJava() {
        val operation = { idempotency.operation("pay", ResultCodec.string()) }
        val provider = { idempotency.provider("p", ResultCodec.string(), ResultCodec.string()) { _, it -> it } }
        val refused = mapOf<String, List<() -> Any>>(
            "the retention" to listOf(
                { operation().retention(3651.days) },
                { operation().planned().retention(3651.days) },
                { external().retention(3651.days) },
                { provider().retention(3651.days) },
            ),
            "the longest wait" to listOf({ operation().waitAtMost(61.minutes) }),
            "the time to settle a commit" to listOf({ operation().settleWithin(61.minutes) }),
            "the grace period" to listOf(
                { operation().whenAbandoned(Abandoned.TAKE_OVER, 0.seconds) },
                { operation().planned().whenAbandoned(Abandoned.TAKE_OVER, 0.seconds) },
            ),
            "the time that the provider remembers a key" to listOf(
                { external().rememberedFor(3651.days) },
                { external().planned().rememberedFor(3651.days) },
                { provider().rememberedFor(3651.days) },
            ),
            "The time limit of a batch" to listOf({ Batch.inOwnTransactions(operation().build()).within(61.minutes) }),
        )
        refused.forEach { (name, calls) ->
            calls.forEach { call ->
                assertThatThrownBy { call() }
                    .isInstanceOf(IllegalArgumentException::class.java)
                    .hasMessageContaining(name)
            }
        }
    }

    @Test
    fun buildersGoOnAfterEachFunction() {
        val builder = Idempotency.builder(InMemoryIdempotencyStore()).defaults { it.retention(7.days) }
        val pay: Operation<*, String> = builder.build().operation("pay", ResultCodec.string())
            .retention(7.days)
            .waitAtMost(5.seconds)
            .settleWithin(30.seconds)
            .whenAbandoned(Abandoned.TAKE_OVER, 1.minutes)
            .lookUpByKeyOrNull { _, _ -> null }
            .build()
        assertThat(pay.keyOf(attempt).operation()).isEqualTo("pay")
        assertThatThrownBy { external().rememberedFor(25.hours).build() }.hasMessageContaining("1 day 1 h")
    }

    /** A result that cannot be decoded is looked up. */
    @Test
    fun transactionalLookupReturnsTheResultOrNull() {
        val unreadable = ResultCodec.text<String>({ it }) { error("unreadable") }
        val pay = idempotency.operation("pay", unreadable).lookUpByKeyOrNull { _, key -> effects[key.hash()] }.build()
        val create = idempotency.operation("create", unreadable)
            .planned()
            .lookUpByKeyOrNull { _, key -> effects[key.hash()] }
            .build()
        val calls = listOf(
            pay.keyOf(attempt) to { pay(attempt) { "result" } },
            create.keyOf(attempt) to { create(attempt, plan = { "result" }) { _, _ -> } },
        )
        for ((key, call) in calls) {
            assertThat(call()).isInstanceOf(Outcome.Executed::class.java)
            assertThatThrownBy { call() }.isInstanceOf(UndecodableException::class.java)
            effects[key.hash()] = "found"
            assertThat(call().orNull()).isEqualTo("found")
        }
    }

    @Test
    fun externalLookupReturnsTheResultOrNull() {
        val charge = external().build()
        assertThatThrownBy { charge(attempt) { throw IOException("timed out") } }
            .isInstanceOf(IdempotencyException::class.java)
        assertThat(charge(attempt) { "another" }.orNull()).isNull()
        effects[charge.keyOf(attempt).hash()] = "found"
        assertThat(charge(attempt) { "another" }.orNull()).isEqualTo("found")
    }
}
