package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A table and its columns that take part in a comparison.
 *
 * @param table its name, or what can stand in its place
 * @param key the column that identifies a row
 * @param fields columns or expressions by the names of their fields, in order
 * @param version the column that every write changes
 */
record TableColumns(String table, String key, Map<String, String> fields, Optional<Version> version) {

    /**
     * A column that every write changes.
     *
     * @param column the column
     * @param next what a repair sets it to
     */
    record Version(String column, String next) {}

    TableColumns {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    TableColumns with(String field, String column) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        if (more.put(field, column) != null) {
            throw new IllegalArgumentException("The field " + field + " of table " + table + " is there already.");
        }
        return new TableColumns(table, key, more, version);
    }

    TableColumns with(Version one) {
        return new TableColumns(table, key, fields, Optional.of(one));
    }

    /** The key, the fields, the version. */
    String select() {
        StringBuilder sql = new StringBuilder("SELECT ").append(key);
        fields.values().forEach(column -> sql.append(", ").append(column));
        version.ifPresent(one -> sql.append(", ").append(one.column()));
        return sql.append(" FROM ").append(table).toString();
    }
}
