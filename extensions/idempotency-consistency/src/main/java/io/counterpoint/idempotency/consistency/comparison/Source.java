package io.counterpoint.idempotency.consistency.comparison;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Rows that are read page by page in the order of their keys. {@link SqlTable} is one over a database; an index or a
 * remote service can be another.
 *
 * <p>Rows may be written while they are read: a page shows what is there at its own moment. A row that is there all the
 * time has to be given. Used by one thread at a time. What it throws ends the run, which can be continued.
 *
 * @param <K> the type of the keys
 */
public interface Source<K> {

    /**
     * The order of the keys; both sources of a comparison name the same.
     *
     * @return the order
     */
    KeyOrder<K> order();

    /**
     * The rows whose keys follow the given one, in strictly ascending order.
     *
     * @param after the last key that was read; empty for the first page
     * @param limit at most so many rows, at least 1
     * @return the rows; fewer than the limit only if no more follow
     */
    List<Row<K>> page(Optional<K> after, int limit);

    /**
     * The rows with these keys as they are now, in any order. Must not be answered from a cache or a replica that lags.
     *
     * @param keys at most 500 of them
     * @return the rows that are there
     */
    List<Row<K>> find(Collection<K> keys);

    /**
     * Refuses a source that cannot be compared, when a comparison of it is built. By default, none is.
     *
     * @throws IllegalArgumentException if the source has values that it cannot read without a loss
     */
    default void requireComparable() {}

    /**
     * What the source has besides its fields, and would be passed over. A run is refused unless all of it is ignored.
     *
     * @return names of columns; default: none
     */
    default Collection<String> unlisted() {
        return List.of();
    }
}
