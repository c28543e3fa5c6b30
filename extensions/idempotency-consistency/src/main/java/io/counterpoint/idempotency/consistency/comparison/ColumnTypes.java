package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * The types of the columns of a table that are part of a comparison.
 *
 * @param key the type of the key, if it is one of those
 * @param fields the types of the fields, in order
 * @param version the type of the version
 */
record ColumnTypes(Optional<ColumnType> key, Map<String, ColumnType> fields, Optional<ColumnType> version) {

    /**
     * Reads the types from the database.
     *
     * @throws IllegalArgumentException if one of them cannot be read without loss
     */
    static ColumnTypes of(DatabaseProduct database, Handle handle, TableColumns columns) {
        return handle.createQuery(columns.select() + " WHERE 1 = 0").scanResultSet((rows, context) -> {
            ResultSetMetaData found = rows.get().getMetaData();
            int at = 2;
            Map<String, ColumnType> fields = new LinkedHashMap<>();
            for (String field : columns.fields().keySet()) {
                fields.put(field, require(database, handle, columns, field, found, at++));
            }
            Optional<ColumnType> version = columns.version().isPresent()
                    ? Optional.of(require(database, handle, columns, "version", found, at))
                    : Optional.empty();
            return new ColumnTypes(find(database, handle, found, 1), fields, version);
        });
    }

    private static ColumnType require(
            DatabaseProduct database,
            Handle handle,
            TableColumns columns,
            String field,
            ResultSetMetaData found,
            int at)
            throws SQLException {
        String name = found.getColumnTypeName(at);
        return find(database, handle, found, at)
                .orElseThrow(() -> new IllegalArgumentException("The field " + field + " of table " + columns.table()
                        + " has the type " + name + " of " + database + ", whose values cannot be read and written"
                        + " without loss. Leave it out and ignore the column, or use an expression of another type,"
                        + " such as CAST(… AS numeric)."));
    }

    private static Optional<ColumnType> find(DatabaseProduct database, Handle handle, ResultSetMetaData found, int at)
            throws SQLException {
        String name = found.getColumnTypeName(at);
        return ColumnType.of(database, name, found.getPrecision(at) == 1)
                .or(() -> database.enumeration(handle, name).map(ColumnType::ofPostgreSqlText));
    }

    ColumnType of(String field) {
        return Objects.requireNonNull(fields.get(field), field);
    }

    /** Reads the values of a row's fields, starting after the given column. */
    Map<String, @Nullable Object> read(ResultSet row, int before) throws SQLException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        int column = before + 1;
        for (Map.Entry<String, ColumnType> field : fields.entrySet()) {
            values.put(field.getKey(), field.getValue().value(row, column++));
        }
        return values;
    }
}
