package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Failure
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.kotlin.invoke
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.PrintStream
import java.math.BigDecimal
import java.nio.file.Files
import java.nio.file.Path
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

class PaymentsTest {
    private val booked = mutableListOf<BigDecimal>()
    private val idempotency = Idempotency.on(InMemoryIdempotencyStore())
    private val payments = Payments(idempotency) { _, amount -> booked.add(amount) }

    @Test
    fun aRetryGetsTheSameReceiptAndBooksNothing() {
        val first = payments.pay("42", "k", "account", BigDecimal("10.00"))
        val second = payments.pay("42", "k", "account", BigDecimal("10.00"))
        val receipt = (first as Payment.Done).receipt
        assertThat(second).isEqualTo(Payment.Done(receipt, isReplay = true))
        assertThat(first.isReplay).isFalse()
        assertThat(receipt.note).isNull()
        assertThat(booked).containsExactly(BigDecimal("10.00"))
    }

    @Test
    fun anotherRequestWithTheKeyIsRefused() {
        payments.pay("42", "k", "account", BigDecimal.ONE)
        assertThat(payments.pay("42", "k", "account", BigDecimal.TEN)).isEqualTo(Payment.KeyReused)
    }

    @Test
    fun aFailureIsThrownOnceAndThenReturned() {
        val attempt = Attempt.inScope("user:42").key("k").request("account", BigDecimal.ONE)
        val pay = idempotency.operation("pay", ResultCodec.string()).describeFailure { Failure("closed", "") }.build()
        assertThatThrownBy { pay(attempt) { error("closed") } }.hasMessage("closed")
        assertThat(payments.pay("42", "k", "account", BigDecimal.ONE)).isEqualTo(Payment.Failed("closed"))
    }

    @Test
    fun badInputIsRefusedAndItsKeyIsFreeForTheCorrectedRequest() {
        listOf("account" to "0", "account" to "-1", "" to "1", "a\u0000" to "1", "\ud800" to "1", "a".repeat(41) to "1")
            .forEach { (account, amount) ->
                repeat(2) {
                    assertThat(payments.pay("42", "k", account, BigDecimal(amount)))
                        .isInstanceOf(Payment.Refused::class.java)
                }
            }
        assertThat(payments.pay("42", "k", "account", BigDecimal.ONE)).isInstanceOf(Payment.Done::class.java)
        assertThat(booked).containsExactly(BigDecimal.ONE)
    }

    @Test
    fun programPrintsWhatItsReadmeShows() {
        val before = System.out
        val printed = ByteArrayOutputStream()
        System.setOut(PrintStream(printed))
        try {
            main()
        } finally {
            System.setOut(before)
        }
        assertThat(Files.readString(Path.of("README.md"))).contains("```\n" + printed + "```\n")
    }

    @Test
    fun aCheckedExceptionOfTheWorkIsThrownUnwrapped() {
        val operation = idempotency.operation("call", ResultCodec.string()).build()
        val attempt = Attempt.inScope("user:42").key("k").request("r")
        assertThatThrownBy { operation(attempt) { throw IOException("unplugged") } }
            .isExactlyInstanceOf(IOException::class.java)
            .hasMessage("unplugged")
    }
}
