package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.PurgedBatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * Tracks where the next batch of a purge continues. Pending records that are past their retention stay and would be
 * read again by every batch. Each batch therefore begins where the previous one ended, until one is not full or a
 * minute has passed since the sweep began; then the next sweep starts from the beginning. What one sweep leaves behind,
 * the next one deletes.
 */
final class PurgeSweep {

    static final Duration LONGEST = Duration.ofMinutes(1);

    private static final OffsetDateTime LONG_AGO = OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private final LongSupplier nanoTime;

    private volatile Position position;

    PurgeSweep() {
        this(System::nanoTime);
    }

    PurgeSweep(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.position = beginning();
    }

    /** When a sweep began, and the end of retention up to which it has examined records. */
    private record Position(long began, OffsetDateTime reached) {}

    private Position beginning() {
        return new Position(nanoTime.getAsLong(), LONG_AGO);
    }

    /** Deletes the next batch and returns the number of deleted records. */
    int purge(Dialect dialect, Connection connection, int batch) throws SQLException {
        Position from = position;
        if (nanoTime.getAsLong() - from.began() >= LONGEST.toNanos()) {
            from = beginning();
        }
        PurgedBatch purged = dialect.purge(connection, from.reached(), batch);
        OffsetDateTime latest = purged.latest();
        position = purged.count() < batch || latest == null ? beginning() : new Position(from.began(), latest);
        return purged.count();
    }

    /** The end of retention up to which records were examined. */
    OffsetDateTime reached() {
        return position.reached();
    }
}
