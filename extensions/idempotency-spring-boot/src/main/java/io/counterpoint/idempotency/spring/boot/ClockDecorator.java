package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyClock;

/** Stands before the clock, so that what observes a call learns of its pauses. */
@FunctionalInterface
interface ClockDecorator {

    /** A clock that forwards to another. */
    IdempotencyClock decorate(IdempotencyClock clock);
}
