package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.jackson3.JsonCodecs
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.math.BigDecimal
import java.util.UUID

/** A record, so that the strict codec takes it without a module. */
@JvmRecord
data class Receipt(val id: UUID, val account: String, val amount: BigDecimal, val note: String?)

/** What a caller gets. */
sealed interface Payment {
    data class Done(val receipt: Receipt, val isReplay: Boolean) : Payment

    data object ComeBack : Payment

    data class Failed(val code: String) : Payment

    data object KeyReused : Payment
}

class Payments(
    idempotency: Idempotency<InMemoryIdempotencyStore.Transaction>,
    private val charge: (account: String, amount: BigDecimal) -> Unit,
) {
    private val pay = idempotency.operation("pay", JsonCodecs.strict().of(Receipt::class.java)).build()

    fun pay(user: String, key: String, account: String, amount: BigDecimal): Payment {
        val attempt = Attempt.`in`("user:$user").key(key).request(account, amount)
        val outcome = pay.executing(attempt) { transaction ->
            transaction.onCommit { charge(account, amount) }
            require(amount.signum() > 0) { "An amount is positive." }
            Receipt(UUID.randomUUID(), account, amount, note = null)
        }
        return when (outcome) {
            is Outcome.Completed -> Payment.Done(outcome.result(), outcome.isReplay)
            is Outcome.InProgress -> Payment.ComeBack
            is Outcome.Rejected -> Payment.Failed(outcome.failure().code())
            is Outcome.KeyReused -> Payment.KeyReused
        }
    }
}
