package io.counterpoint.idempotency.kotlin.page

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore
import io.counterpoint.idempotency.kotlin.invoke
import io.counterpoint.idempotency.kotlin.retention
import kotlin.time.Duration.Companion.days
import org.jdbi.v3.core.Jdbi

fun main() {
    val jdbi = Jdbi.create("jdbc:h2:mem:payments;DB_CLOSE_DELAY=-1")
    jdbi.open().use { handle ->
        handle.execute("CREATE TABLE account (id varchar(20) PRIMARY KEY, cents bigint NOT NULL)")
        handle.execute("INSERT INTO account VALUES ('a-7', 10000)")
    }

    val idempotency = Idempotency.on(JdbiIdempotencyStore.on(jdbi).createTableIfMissing())
    val pay = idempotency
        .operation("pay", ResultCodec.text(Long::toString, String::toLong))
        .retention(7.days)
        .build()

    fun send(cents: Int) {
        val attempt = Attempt.inScope("user:42").key("sent-by-the-client").request("a-7", cents)
        val outcome = pay(attempt) { handle ->
            handle.execute("UPDATE account SET cents = cents - ? WHERE id = ?", cents, "a-7")
            handle.createQuery("SELECT cents FROM account WHERE id = 'a-7'").mapTo(Long::class.java).one()
        }
        println(
            when (outcome) {
                is Outcome.Completed -> "${outcome.result()} cents left, replay: ${outcome.isReplay}"
                is Outcome.InProgress -> "in progress: retry with the same key"
                is Outcome.Rejected -> "failed: ${outcome.failure().code()}"
                is Outcome.KeyReused -> "the key belongs to another request"
            },
        )
    }
    send(1250)
    send(1250)
    send(9999)
}
