package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Failure
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.jackson3.JsonCodecs
import io.counterpoint.idempotency.kotlin.invoke
import io.counterpoint.idempotency.kotlin.retention
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore
import java.math.BigDecimal
import java.util.UUID
import kotlin.time.Duration.Companion.days

/** A Java record, so the strict codec supports it without the Kotlin module. */
@JvmRecord
data class Receipt(val id: UUID, val account: String, val amount: BigDecimal, val note: String?)

/** The response to the caller. */
sealed interface Payment {
    data class Done(val receipt: Receipt, val isReplay: Boolean) : Payment

    data object ComeBack : Payment

    data class Failed(val code: String) : Payment

    data object KeyReused : Payment

    /** Nothing was claimed, so the corrected request can use the same key. */
    data class Refused(val expected: String) : Payment
}

/**
 * The use case.
 *
 * @param book adds a payment to the ledger. The ledger is in memory like the store, so both change at the commit. To
 * charge a card through a provider, use an external operation instead.
 */
class Payments(
    idempotency: Idempotency<InMemoryIdempotencyStore.Transaction>,
    private val book: (account: String, amount: BigDecimal) -> Unit,
) {
    private val payOnce = idempotency.operation("pay", JsonCodecs.strict().of(Receipt::class.java))
        .describeFailure { Failure("internal-error", "") }
        .retention(7.days)
        .build()

    fun pay(user: String, key: String, account: String, amount: BigDecimal): Payment {
        if (amount.signum() <= 0) return Payment.Refused("The amount must be positive.")
        if (!account.matches(ACCOUNT)) return Payment.Refused("An account must be 1 to 40 letters, digits or hyphens.")
        val attempt = Attempt.inScope("user:$user").key(key).request(account, amount)
        val outcome = payOnce(attempt) { transaction ->
            transaction.onCommit { book(account, amount) }
            Receipt(UUID.randomUUID(), account, amount, note = null)
        }
        return when (outcome) {
            is Outcome.Completed -> Payment.Done(outcome.result(), outcome.isReplay)
            is Outcome.InProgress -> Payment.ComeBack
            is Outcome.Rejected -> Payment.Failed(outcome.failure().code())
            is Outcome.KeyReused -> Payment.KeyReused
        }
    }

    private companion object {
        val ACCOUNT = Regex("[A-Za-z0-9-]{1,40}")
    }
}
