package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Rows that are read page by page in key order. {@link SqlTable} reads from a database; a source can also be an index
 * or a remote service.
 *
 * <p>Rows may be written while they are read: a page reflects the state when it is read. A row that exists the whole
 * time must be returned. Used by one thread at a time. An exception ends the run, which can be continued.
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
     * @param after the last key read; empty for the first page
     * @param limit the maximum number of rows, at least 1
     * @return the rows; fewer than the limit only if there are no more
     */
    List<Row<K>> page(Optional<K> after, int limit);

    /**
     * Returns the current rows with these keys, in any order. Must not be served from a cache or a lagging replica.
     *
     * @param keys the keys, at most 500
     * @return the existing rows
     */
    List<Row<K>> find(Collection<K> keys);

    /**
     * Throws if the source cannot be compared; called when a comparison is built. By default, does nothing.
     *
     * @throws IllegalArgumentException if the source has values that it cannot read without loss
     */
    default void requireComparable() {}

    /**
     * Returns columns of the source that are not part of its fields. A run is rejected unless all of them are ignored.
     *
     * @return the column names; by default none
     */
    default Collection<String> unlisted() {
        return List.of();
    }
}
