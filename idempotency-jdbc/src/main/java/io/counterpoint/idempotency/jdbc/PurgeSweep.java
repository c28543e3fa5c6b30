package io.counterpoint.idempotency.jdbc;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.function.LongSupplier;

/**
 * Where the next batch of a purge goes on. Pending records that are past their retention stay, and would be read again by
 * every batch. So a batch begins where the one before has ended, until one is not full, or a minute has passed since the
 * sweep began: then all is looked at again. What a sweep leaves behind, the next one takes.
 */
final class PurgeSweep {

    private static final long LONGEST = Duration.ofMinutes(1).toNanos();

    private static final Position BEGINNING = new Position(OffsetDateTime.MIN, 0);

    private final LongSupplier nanoTime;
    private volatile Position position = BEGINNING;

    /** Up to which end of retention everything was looked at, and when the sweep began. */
    private record Position(OffsetDateTime reached, long began) {}

    PurgeSweep(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Where to begin. */
    OffsetDateTime from() {
        Position last = position;
        long now = nanoTime.getAsLong();
        if (last.reached().equals(OffsetDateTime.MIN) || now - last.began() >= LONGEST) {
            last = new Position(OffsetDateTime.MIN, now);
            position = last;
        }
        return last.reached();
    }

    /** A full batch has ended here. */
    void reached(OffsetDateTime expiry) {
        position = new Position(expiry, position.began());
    }

    /** A batch was not full: nothing is left. */
    void ended() {
        position = BEGINNING;
    }
}
