package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A source of rows that are read page by page in the order of their keys. {@link SqlTable} reads a database; other
 * implementations can read an index or a remote service.
 *
 * <p>Rows may be written while they are read: a page reflects the state at the time it is read. A row that exists all
 * the time must be returned. Used by one thread at a time. An exception ends the run, which can be continued.
 *
 * @param <K> the type of the keys
 */
public interface Source<K> {

    /**
     * Returns the order of the keys, which must be the same for both sources of a comparison.
     *
     * @return the order
     */
    KeyOrder<K> order();

    /**
     * Returns the rows whose keys follow the given one, in strictly ascending order.
     *
     * @param after the last key that was read; empty for the first page
     * @param limit the maximum number of rows, at least 1
     * @return the rows; fewer than the limit only if no more follow
     */
    List<Row<K>> page(Optional<K> after, int limit);

    /**
     * Returns the current rows with these keys, in any order. They must not come from a cache or a lagging replica.
     *
     * @param keys at most 500 of them
     * @return the rows that are there
     */
    List<Row<K>> find(Collection<K> keys);

    /**
     * Rejects a source that cannot be compared, when a comparison with it is built. By default, none is.
     *
     * @throws IllegalArgumentException if the source has values that it cannot read without loss
     */
    default void requireComparable() {}

    /**
     * Returns what the source contains besides its fields, which would not be compared. A run is rejected unless all of
     * it is explicitly ignored.
     *
     * @return names of columns; default: none
     */
    default Collection<String> unlisted() {
        return List.of();
    }
}
