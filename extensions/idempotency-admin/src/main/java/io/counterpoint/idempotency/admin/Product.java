package io.counterpoint.idempotency.admin;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Locale;

/** The databases, as far as their SQL for operators differs. */
enum Product {
    POSTGRESQL("postgresql", "CURRENT_TIMESTAMP"),
    H2("h2", "CURRENT_TIMESTAMP"),
    /** MariaDB and MySQL. Times are in UTC, without a zone. */
    MARIADB("mariadb", "UTC_TIMESTAMP(6)") {
        @Override
        String keptUntil() {
            return "TIMESTAMPADD(MICROSECOND, TIMESTAMPDIFF(MICROSECOND, created_at, expires_at), updated_at)";
        }

        @Override
        Instant instant(ResultSet row, String column) throws SQLException {
            return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
        }

        @Override
        Object bound(Instant time) {
            return LocalDateTime.ofInstant(time, ZoneOffset.UTC);
        }
    };

    private final String file;
    private final String now;

    Product(String file, String now) {
        this.file = file;
        this.now = now;
    }

    static Product of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "h2" -> H2;
            case "mariadb", "mysql" -> MARIADB;
            default -> throw new RefusedException("Expected PostgreSQL, H2, MariaDB or MySQL, found another database.");
        };
    }

    /** The SQL expression for the database's current time. */
    String now() {
        return now;
    }

    /** The end of a terminal record's retention, which the purge counts from the record's last change. */
    String keptUntil() {
        return "updated_at + (expires_at - created_at)";
    }

    String file() {
        return file;
    }

    Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** A time as a parameter. */
    Object bound(Instant time) {
        return time.atOffset(ZoneOffset.UTC);
    }
}
