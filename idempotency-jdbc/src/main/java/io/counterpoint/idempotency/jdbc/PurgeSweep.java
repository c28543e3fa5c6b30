package io.counterpoint.idempotency.jdbc;

import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * Where the next batch of a purge goes on. Pending records that are past their retention stay, and would be read again by
 * every batch. So a batch begins where the one before has ended, until one is not full, or a minute of the database's has
 * passed since the sweep began: then all is looked at again. What a sweep leaves behind, the next one takes.
 */
final class PurgeSweep {

    static final Duration LONGEST = Duration.ofMinutes(1);

    private static final Position BEGINNING = new Position(OffsetDateTime.MIN, OffsetDateTime.MIN);

    private volatile Position position = BEGINNING;

    /** When a sweep began, and up to which end of retention everything was looked at. */
    record Position(OffsetDateTime began, OffsetDateTime reached) {}

    /** Where to go on, unless the sweep has begun too long ago. */
    Position position() {
        return position;
    }

    /** A full batch that was begun at this position has ended here. */
    void reached(Position before, OffsetDateTime expiry, OffsetDateTime now) {
        boolean goesOn = before.began().isAfter(now.minus(LONGEST));
        position = new Position(goesOn ? before.began() : now, expiry);
    }

    /** A batch was not full: nothing is left. */
    void ended() {
        position = BEGINNING;
    }
}
