package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;

/** A record and the time of its last write, in nanoseconds of the store's clock. */
record Row(IdempotencyRecord record, long updated, Duration retention) {

    boolean mayBePurged(long now) {
        return !(record instanceof Pending) && Duration.ofNanos(now - updated).compareTo(retention) > 0;
    }

    IdempotencyRecord seenAt(long now) {
        return record instanceof Pending pending
                ? new Pending(
                        pending.key(),
                        pending.protocol(),
                        pending.token(),
                        pending.fingerprint(),
                        pending.plan(),
                        Duration.ofNanos(now - updated))
                : record;
    }
}
