package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.Database;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jspecify.annotations.Nullable;

/** A column's value in the type that means it, whatever the driver makes of it. */
final class ColumnValue {

    private ColumnValue() {}

    static @Nullable Object read(Database database, ResultSet row, ResultSetMetaData types, int column)
            throws SQLException {
        // PostgreSQL's driver and H2 have one number each for types that differ, such as times with and without a zone.
        return switch (types.getColumnTypeName(column)) {
            case "timestamptz" -> row.getObject(column, OffsetDateTime.class);
            case "timetz" -> row.getObject(column, OffsetTime.class);
            case "TIMESTAMP" ->
                // A moment on MariaDB and MySQL, where datetime has no zone.
                database == Database.H2
                        ? row.getObject(column, LocalDateTime.class)
                        : row.getObject(column, OffsetDateTime.class);
            case "UUID" -> row.getObject(column, UUID.class);
            default -> byNumber(row, types, column);
        };
    }

    private static @Nullable Object byNumber(ResultSet row, ResultSetMetaData types, int column) throws SQLException {
        return switch (types.getColumnType(column)) {
            case Types.TIMESTAMP -> row.getObject(column, LocalDateTime.class);
            case Types.TIMESTAMP_WITH_TIMEZONE -> row.getObject(column, OffsetDateTime.class);
            case Types.DATE -> row.getObject(column, LocalDate.class);
            case Types.TIME -> row.getObject(column, LocalTime.class);
            case Types.TIME_WITH_TIMEZONE -> row.getObject(column, OffsetTime.class);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> row.getBytes(column);
            default -> simple(row, column);
        };
    }

    private static @Nullable Object simple(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        return value == null
                        || value instanceof Number
                        || value instanceof String
                        || value instanceof Boolean
                        || value instanceof UUID
                ? value
                : row.getString(column);
    }

    static void bind(SqlStatement<?> statement, int place, @Nullable Object value) {
        if (value instanceof Instant moment) {
            statement.bind(place, moment.atOffset(ZoneOffset.UTC));
        } else if (value == null) {
            statement.bindNull(place, Types.NULL);
        } else {
            statement.bind(place, value);
        }
    }
}
