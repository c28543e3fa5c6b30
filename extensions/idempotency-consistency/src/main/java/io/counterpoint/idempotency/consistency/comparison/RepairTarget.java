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
     * Makes the changes in one transaction, each as an atomic compare-and-set on the row as found.
     *
     * @param changes the changes, in key order
     * @return the changes that were made; the others found a different row and did nothing
     */
    List<Change<K>> apply(List<Change<K>> changes);

    /**
     * Returns whether it can write a field that is compared in a canonical form, for which the other side's stored
     * value is not suitable.
     *
     * @param field the name of a field with a {@link Canonicalizer}
     * @return whether it can; false by default
     */
    default boolean writes(String field) {
        return false;
    }
}
