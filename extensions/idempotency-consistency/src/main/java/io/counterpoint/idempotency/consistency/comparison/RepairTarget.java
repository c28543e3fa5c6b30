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
     * @return the changes that were made; the others found another row and did nothing
     */
    List<Change<K>> apply(List<Change<K>> changes);

    /**
     * Whether it knows how a field is stored that is compared in another form. What the other side stores is no value of this
     * one then.
     *
     * @param field the name of a field with a {@link Canonicalizer}
     * @return false, unless it does
     */
    default boolean writes(String field) {
        return false;
    }
}
