package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of a source. {@code toString} shows the key and the field names, never values.
 *
 * @param <K> the type of the key
 * @param key what identifies the row on both sides
 * @param fields the values by name, in order; the map is copied, but arrays in it must not be modified
 * @param version a value that changes whenever the row is written, such as a counter; null if there is none. It is not
 *     compared between the sides, but distinguishes an unchanged row from one that was changed and changed back
 */
public record Row<K>(
        K key,
        Map<String, @Nullable Object> fields,
        @Nullable Object version) {

    /**
     * Copies the fields.
     *
     * @param key what identifies the row on both sides
     * @param fields the values by name
     * @param version a value that changes whenever the row is written; may be null
     */
    public Row {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /**
     * Returns a row without a version.
     *
     * @param <K> the type of the key
     * @param key what identifies the row on both sides
     * @param fields the values by name
     * @return the row
     */
    public static <K> Row<K> of(K key, Map<String, @Nullable Object> fields) {
        return new Row<>(key, fields, null);
    }

    @Override
    public String toString() {
        return "Row[" + key + ", " + fields.keySet() + "]";
    }
}
