package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.sql.Time;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.TemplateEngine;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one table that satisfy a predicate, and a repair's change to one of them.
 *
 * @param table the table
 * @param key the column that identifies a row
 * @param where the predicate
 * @param set the SET clause of the change; null if it deletes
 * @param recorded the columns whose values are read
 */
record DamagedRows(
        String table, String key, String where, @Nullable String set, List<String> recorded) {

    /**
     * A row.
     *
     * @param key what identifies it
     * @param values its recorded columns, as JSON
     */
    record Damaged(Object key, String values) {}

    /** Returns a query for all of them, with the recorded columns and optional expressions. */
    String query(List<String> besides) {
        String columns = Stream.of(List.of(key), recorded, besides)
                .flatMap(List::stream)
                .distinct()
                .collect(Collectors.joining(", "));
        return "SELECT %s FROM %s WHERE (%s) ORDER BY %s".formatted(columns, table, where, key);
    }

    /** Returns the change without its condition. */
    String action() {
        return set == null ? "DELETE FROM " + table : "UPDATE " + table + " SET " + set;
    }

    /** Returns the first of them, in key order. */
    List<Damaged> page(Handle handle, Optional<Object> after, int limit) {
        return read(
                handle,
                "(%s)%s ORDER BY %s LIMIT %d"
                        .formatted(where, after.isPresent() ? " AND " + key + " > :key" : "", key, limit),
                after);
    }

    /**
     * Changes a row if it still satisfies the predicate.
     *
     * @return whether it did
     * @throws IllegalStateException if several rows have its key, or the database leaves the row as it is: roll it back
     */
    boolean change(Handle handle, Damaged row) {
        int rows = handle.createUpdate(DatabaseProduct.of(handle)
                        .filled("%s WHERE %s = :key AND (%s)".formatted(action(), key, where)))
                .setTemplateEngine(TemplateEngine.NOP)
                .bind("key", asRead(row.key()))
                .execute();
        if (rows > 1) {
            throw new IllegalStateException(rows + " damaged rows of " + table + " have this " + key + ". Nothing was"
                    + " changed. Use a key that identifies one row.");
        }
        if (rows == 0
                && !read(handle, "%s = :key AND (%s)".formatted(key, where), Optional.of(row.key()))
                        .isEmpty()) {
            throw new IllegalStateException("The database reports no error and changes nothing: a trigger, a rule or a"
                    + " policy of " + table + " keeps the row as it is.");
        }
        return rows == 1;
    }

    /** Jdbi knows not every type that a driver reads. */
    private static Argument asRead(Object key) {
        return (position, statement, context) -> statement.setObject(position, key);
    }

    /** The recorded values of a row after its change; empty if that deletes. */
    Optional<String> valuesAfter(Handle handle, Damaged row) {
        return set == null
                ? Optional.empty()
                : read(handle, key + " = :key", Optional.of(row.key())).stream()
                        .map(Damaged::values)
                        .findFirst();
    }

    private List<Damaged> read(Handle handle, String condition, Optional<Object> boundKey) {
        List<String> columns = new ArrayList<>(List.of(key));
        columns.addAll(recorded);
        Query query = handle.createQuery(DatabaseProduct.of(handle)
                        .filled("SELECT %s FROM %s WHERE %s".formatted(String.join(", ", columns), table, condition)))
                .setTemplateEngine(TemplateEngine.NOP);
        boundKey.ifPresent(value -> query.bind("key", asRead(value)));
        return query.map((row, context) -> {
                    Map<String, @Nullable String> values = new LinkedHashMap<>();
                    for (int i = 0; i < recorded.size(); i++) {
                        values.put(recorded.get(i), row.getString(i + 2));
                    }
                    Object found = row.getObject(1);
                    if (found instanceof Time) {
                        throw new IllegalStateException(
                                "The key " + key + " of " + table + " is a time of day, which"
                                        + " drivers read without fractions of a second. Use another column that identifies a row.");
                    }
                    return new Damaged(found, Json.compact(json -> Json.write(json, values)));
                })
                .list();
    }
}
