package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.io.IOException
import java.math.BigDecimal
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

class PaymentsTest {
    private val charges = mutableListOf<BigDecimal>()
    private val idempotency = Idempotency.on(InMemoryIdempotencyStore())
    private val payments = Payments(idempotency) { _, amount -> charges.add(amount) }

    @Test
    fun aRetryGetsTheSameReceiptAndChargesNothing() {
        val first = payments.pay("42", "k", "account", BigDecimal("10.00"))
        val second = payments.pay("42", "k", "account", BigDecimal("10.00"))
        val receipt = (first as Payment.Done).receipt
        assertThat(second).isEqualTo(Payment.Done(receipt, isReplay = true))
        assertThat(first.isReplay).isFalse()
        assertThat(receipt.note).isNull()
        assertThat(charges).containsExactly(BigDecimal("10.00"))
    }

    @Test
    fun anotherRequestWithTheKeyIsRefused() {
        payments.pay("42", "k", "account", BigDecimal.ONE)
        assertThat(payments.pay("42", "k", "account", BigDecimal.TEN)).isEqualTo(Payment.KeyReused)
    }

    @Test
    fun aFailureIsThrownOnceAndThenReturned() {
        assertThatThrownBy { payments.pay("42", "k", "account", BigDecimal.ZERO) }
            .isInstanceOf(IllegalArgumentException::class.java)
            .hasMessage("An amount is positive.")
        assertThat(payments.pay("42", "k", "account", BigDecimal.ZERO))
            .isEqualTo(Payment.Failed("IllegalArgumentException"))
        assertThat(charges).isEmpty()
    }

    @Test
    fun aCheckedExceptionOfTheWorkIsThrownUnwrapped() {
        val operation = idempotency.operation("call", ResultCodec.string()).build()
        val attempt = Attempt.`in`("user:42").key("k").request("r")
        assertThatThrownBy { operation.executing(attempt) { throw IOException("unplugged") } }
            .isExactlyInstanceOf(IOException::class.java)
            .hasMessage("unplugged")
    }
}
