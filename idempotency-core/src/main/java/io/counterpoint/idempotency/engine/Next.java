package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.util.Optional;
import java.util.UUID;

/**
 * What a call does next. A part of the protocol decides it and {@link Engine} carries it out. No step holds a resource,
 * so a waiting call has no open session.
 */
sealed interface Next<R> {

    /** The caller gets this outcome. */
    record Answer<R>(Outcome<R> outcome) implements Next<R> {}

    /** External work has begun under this token and completes later. */
    record Started<R>(Protocol protocol, UUID token) implements Next<R> {}

    /** This call leads under a committed claim with this token, and its work has not begun. */
    record Lead<R>(Protocol protocol, UUID token, Optional<R> storedPlan) implements Next<R> {}

    /** The key has this record. */
    record Follow<R>(IdempotencyRecord record) implements Next<R> {}

    /** The record changed after it was read. */
    record RetryNow<R>() implements Next<R> {}

    /** The store did not reply. */
    record RetryAfterPause<R>(Throwable because) implements Next<R> {}

    /** A leader may be at work, under this record if it was seen. */
    record WaitForLeader<R>(Optional<Pending> seen) implements Next<R> {}
}
