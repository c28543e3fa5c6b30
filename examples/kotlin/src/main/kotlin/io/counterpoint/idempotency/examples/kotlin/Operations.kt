package io.counterpoint.idempotency.examples.kotlin

import io.counterpoint.idempotency.Attempt
import io.counterpoint.idempotency.Operation
import io.counterpoint.idempotency.Outcome
import io.counterpoint.idempotency.function.CheckedFunction

/**
 * Executes an attempt with a lambda. Kotlin has no checked exceptions, so nothing says which the lambda throws: what it
 * throws is thrown on, unwrapped.
 */
fun <C : Any, R : Any> Operation<C, R>.executing(attempt: Attempt, work: (C) -> R): Outcome<R> =
    execute(attempt, CheckedFunction<C, R, Exception> { handle -> work(handle) })
