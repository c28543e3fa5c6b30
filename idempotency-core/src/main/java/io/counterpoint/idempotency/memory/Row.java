package io.counterpoint.idempotency.memory;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.time.Instant;

/** A record with its times. */
record Row(IdempotencyRecord record, Instant created, Instant updated, Duration retention) {

    boolean mayBePurged(Instant now) {
        return !(record instanceof Pending)
                && created.plus(retention).isBefore(now)
                && updated.plus(retention).isBefore(now);
    }

    IdempotencyRecord seenAt(Instant now) {
        return record instanceof Pending pending
                ? new Pending(
                        pending.key(),
                        pending.protocol(),
                        pending.token(),
                        pending.fingerprint(),
                        pending.plan(),
                        Duration.between(updated, now))
                : record;
    }
}
