package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.internal.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jdbi.v3.core.Handle;

/** Where the SQL of times differs. MariaDB keeps them without a zone, in UTC, and counts in microseconds. */
enum Sql {
    STANDARD("CURRENT_TIMESTAMP"),
    MARIADB("UTC_TIMESTAMP(6)");

    private final String now;

    Sql(String now) {
        this.now = now;
    }

    /** The SQL of the database that a handle speaks to. */
    static Sql of(Handle handle) {
        try {
            return handle.getConnection().getMetaData().getDatabaseProductName().equals("MariaDB") ? MARIADB : STANDARD;
        } catch (SQLException thrown) {
            throw new IllegalStateException("The database did not report its name.", thrown);
        }
    }

    /** The file that creates the table. Any other database is refused. */
    String file(Handle handle) {
        return this == MARIADB ? "mariadb.sql" : Database.file(handle);
    }

    String now() {
        return now;
    }

    /** Now plus the parameter {@code :seconds}. */
    String secondsFromNow() {
        return this == MARIADB ? now + " + INTERVAL :seconds SECOND" : Database.SECONDS_FROM_NOW;
    }

    /** Now minus that. */
    String secondsAgo() {
        return this == MARIADB ? now + " - INTERVAL :seconds SECOND" : Database.SECONDS_AGO;
    }

    /** The seconds from one time to another, as a number with a fraction. */
    String secondsBetween(String from, String to) {
        return this == MARIADB
                ? "TIMESTAMPDIFF(MICROSECOND, " + from + ", " + to + ") / 1000000"
                : "EXTRACT(EPOCH FROM (" + to + " - " + from + "))";
    }

    /** Deletes a batch of the oldest. */
    String deletePublished(String table, int batch) {
        String old = "published_at <= " + secondsAgo() + " ORDER BY published_at ";
        return this == MARIADB
                ? "DELETE FROM %s WHERE %s LIMIT %d".formatted(table, old, batch)
                : "DELETE FROM %1$s WHERE seq IN (SELECT seq FROM %1$s WHERE %2$s FETCH FIRST %3$d ROWS ONLY)"
                        .formatted(table, old, batch);
    }

    Instant instant(ResultSet row, String column) throws SQLException {
        return this == MARIADB
                ? row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC)
                : row.getObject(column, OffsetDateTime.class).toInstant();
    }
}
