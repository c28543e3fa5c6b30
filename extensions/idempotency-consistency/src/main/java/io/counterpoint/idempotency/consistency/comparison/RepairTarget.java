package io.counterpoint.idempotency.consistency.comparison;

import java.util.List;

/**
 * The side of a comparison that a repair writes to. {@link SqlTable} is one.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface RepairTarget<K> {

    /**
     * Makes these changes in one transaction, each as an atomic compare-and-set on the row as it was found.
     *
     * @param changes the changes, in the order of their keys
     * @return the changes that were made; the others found a different row and did nothing
     */
    List<Change<K>> apply(List<Change<K>> changes);

    /**
     * Whether it knows how to store a field that is compared in another form. In that case, the stored value of the
     * other side is not valid for this one.
     *
     * @param field the name of a field with a {@link Canonicalizer}
     * @return false, unless it does
     */
    default boolean writes(String field) {
        return false;
    }
}
