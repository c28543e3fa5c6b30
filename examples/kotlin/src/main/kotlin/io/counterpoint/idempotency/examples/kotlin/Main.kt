package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.math.BigDecimal

/** Pays, retries, and sends other requests. The ledger is independent of the library. */
fun main() {
    var booked = BigDecimal.ZERO
    val payments = Payments(Idempotency.on(InMemoryIdempotencyStore())) { _, amount -> booked += amount }

    fun send(what: String, key: String, amount: String) {
        val answer = when (val payment = payments.pay("42", key, "rent", BigDecimal(amount))) {
            is Payment.Done -> "paid ${payment.receipt.amount}" + if (payment.isReplay) ", the first answer again" else ""
            is Payment.ComeBack -> "in progress"
            is Payment.Failed -> "failed: ${payment.code}"
            is Payment.KeyReused -> "refused: the key belongs to another request"
            is Payment.Refused -> "refused: ${payment.expected}"
        }
        println("%-22s %-45s booked %s".format(what, answer, booked))
    }
    send("a payment", "k1", "10.00")
    send("its retry", "k1", "10.00")
    send("another with its key", "k1", "12.00")
    send("bad input", "k2", "-5.00")
    send("corrected, same key", "k2", "5.00")
}
