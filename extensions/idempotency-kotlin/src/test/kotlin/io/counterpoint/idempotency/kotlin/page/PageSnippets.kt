package io.counterpoint.idempotency.kotlin.page

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Batch
import io.counterpoint.idempotency.BatchResult
import io.counterpoint.idempotency.Idempotency
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.ResultCodec
import io.counterpoint.idempotency.kotlin.executeSuspending
import io.counterpoint.idempotency.kotlin.invoke
import io.counterpoint.idempotency.kotlin.lookUpByKeyOrNull
import io.counterpoint.idempotency.kotlin.lookupOf
import java.util.UUID
import kotlin.jvm.optionals.getOrNull
import org.jdbi.v3.core.Handle

/** What the snippets of the page take for granted. */
interface Bank {
    fun findCharge(key: String): String?

    suspend fun charge(key: String, cents: Long): String
}

private fun codes(handle: Handle, key: String): String? =
    handle.createQuery("SELECT code FROM invitation WHERE attempt = ?").bind(0, key).mapTo(String::class.java)
        .findOne().getOrNull()

/** The snippets as they are on the page. */
class PageSnippets(private val idempotency: Idempotency<Handle>, private val bank: Bank) {
    fun kinds(attempt: Attempt): List<Outcome<*>> {
        val register = idempotency.operation("register").build()
        val registered = register(attempt) { handle ->
            handle.execute("INSERT INTO member VALUES (?)", "m-1")
        }

        val create = idempotency.operation("create-group", ResultCodec.string()).planned().build()
        val created = create(attempt, plan = { UUID.randomUUID().toString() }) { handle, id ->
            handle.execute("INSERT INTO team VALUES (?)", id)
        }

        val invite = idempotency.operation("invite", ResultCodec.string())
            .lookUpByKeyOrNull { handle, key -> codes(handle, key.hash()) }
            .build()
        val invited = invite(attempt) { "code" }
        return listOf(registered, created, invited)
    }

    fun batch(attempts: List<Attempt>): List<BatchResult<String>> {
        val invite = idempotency.operation("invite", ResultCodec.string()).build()
        return Batch.inOneTransaction(invite).executeEach(attempts) { handle, item ->
            "code-${item.index}".also { handle.execute("INSERT INTO invitation VALUES (?, ?)", it, item.attempt.key()) }
        }
    }

    private val charge = idempotency
        .external("charge", ResultCodec.string()) { lookupOf(bank.findCharge(it.key.hash())) }
        .then { handle, _, id -> handle.execute("INSERT INTO charge VALUES (?)", id) }
        .build()

    suspend fun charge(attempt: Attempt, cents: Long): Outcome<String> =
        charge.executeSuspending(attempt) { key -> bank.charge(key.hash(), cents) }
}
