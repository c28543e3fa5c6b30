package io.counterpoint.idempotency.kotlin

import io.counterpoint.idempotency.Outcome

/**
 * Returns the result, or null if there is none.
 *
 * Null says nothing about the effect: the attempt may be in progress. A `when` over the outcome distinguishes all four cases
 * and needs no `else`.
 *
 * @return the result of an [Outcome.Completed]
 */
public fun <R : Any> Outcome<R>.orNull(): R? = (this as? Outcome.Completed<R>)?.result()
