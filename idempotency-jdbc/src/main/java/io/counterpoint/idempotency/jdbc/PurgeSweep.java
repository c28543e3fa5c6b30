package io.counterpoint.idempotency.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Where the next batch of a purge goes on. Pending records that are past their retention stay, and would be read again by
 * every batch. So a batch begins where the one before has ended, until one is not full, or a minute of the database's has
 * passed since the sweep began: then all is looked at again. What a sweep leaves behind, the next one takes.
 */
final class PurgeSweep {

    static final Duration LONGEST = Duration.ofMinutes(1);

    static final OffsetDateTime LONG_AGO = OffsetDateTime.of(1, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);

    private static final Position BEGINNING = new Position(LONG_AGO, LONG_AGO);

    final String statement;

    private volatile Position position = BEGINNING;

    /**
     * @param statement deletes a batch. Its parameters: when the sweep began, the end of retention to begin at unless that
     *     is longer ago than {@link #LONGEST}, and the size of the batch. Its row: how many records were deleted, the
     *     latest end of their retention, and the database's time.
     */
    PurgeSweep(String statement) {
        this.statement = statement;
    }

    /** When a sweep began, and up to which end of retention everything was looked at. */
    record Position(OffsetDateTime began, OffsetDateTime reached) {}

    /** Deletes the next batch, and returns how many records that were. */
    int purge(Connection connection, int batch) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(statement)) {
            Position from = bind(delete, batch);
            try (ResultSet purged = delete.executeQuery()) {
                purged.next();
                int count = purged.getInt(1);
                if (count == batch) {
                    reached(from, purged.getObject(2, OffsetDateTime.class), purged.getObject(3, OffsetDateTime.class));
                } else {
                    position = BEGINNING;
                }
                return count;
            }
        }
    }

    /** From where the next batch goes on. */
    Position bind(PreparedStatement delete, int batch) throws SQLException {
        Position from = position;
        delete.setObject(1, from.began());
        delete.setObject(2, from.reached());
        delete.setInt(3, batch);
        return from;
    }

    Position position() {
        return position;
    }

    /** A full batch that was begun at this position has ended here. */
    void reached(Position before, OffsetDateTime expiry, OffsetDateTime now) {
        boolean goesOn = before.began().isAfter(now.minus(LONGEST));
        position = new Position(goesOn ? before.began() : now, expiry);
    }
}
