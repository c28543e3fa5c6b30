package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A table and those of its columns that are part of a comparison.
 *
 * @param table its name, or a query in its place
 * @param key the column that identifies a row
 * @param fields how each field is read and written, by name, in order
 * @param version the column that every write changes
 */
record TableColumns(String table, String key, Map<String, Field> fields, Optional<Version> version) {

    /** Separators of names in SQL text. All non-ASCII characters count as part of a name. */
    private static final String NO_NAME = "[^A-Za-z0-9_$\\x{80}-\\x{10FFFF}]+";

    /**
     * A field of a row.
     *
     * @param read the column or expression that returns its value
     * @param column the column that a repair sets
     * @param written what the column is set to, with a question mark for the value
     * @param stated whether the program specifies how it is written
     */
    record Field(String read, String column, String written, boolean stated) {

        /** Returns the column, or throws if it cannot be set. */
        String settable() {
            return DatabaseProduct.name("a column to repair", column);
        }
    }

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

    TableColumns with(String name, Field field) {
        Map<String, Field> more = new LinkedHashMap<>(fields);
        if (more.put(name, field) != null) {
            throw new IllegalArgumentException("The table " + table + " already has a field " + name + ".");
        }
        return new TableColumns(table, key, more, version);
    }

    TableColumns with(Version one) {
        return new TableColumns(table, key, fields, Optional.of(one));
    }

    /** Selects the key, the fields and the version. */
    String select() {
        StringBuilder sql = new StringBuilder("SELECT ").append(key);
        fields.values().forEach(field -> sql.append(", ").append(field.read()));
        version.ifPresent(one -> sql.append(", ").append(one.column()));
        return sql.append(" FROM ").append(table).toString();
    }

    /** Selects the same, each with the read expression of its type. */
    String select(ColumnTypes types) {
        // Uses an alias, because ORDER BY would otherwise take the column name for this expression.
        StringBuilder sql = new StringBuilder("SELECT ")
                .append(types.key().map(type -> type.select(key)).orElse(key))
                .append(" AS key_of_row");
        fields.forEach((name, field) -> sql.append(", ").append(types.of(name).select(field.read())));
        version.ifPresent(
                one -> sql.append(", ").append(types.version().orElseThrow().select(one.column())));
        return sql.append(" FROM ").append(table).toString();
    }

    /** Whether the key, a field or the version refers to a column. */
    boolean lists(String column) {
        Stream<String> fieldsAndKey = Stream.concat(
                Stream.of(key), fields.values().stream().flatMap(field -> Stream.of(field.read(), field.column())));
        return Stream.concat(fieldsAndKey, version.stream().map(Version::column))
                .flatMap(text -> List.of(text.split(NO_NAME)).stream())
                .anyMatch(column::equalsIgnoreCase);
    }
}
