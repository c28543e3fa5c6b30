package io.counterpoint.idempotency.testkit;

import java.util.List;

/**
 * The simplest domain of a store: named effects. It must not reject a second effect with the same name, so that a
 * duplicate can be detected.
 *
 * @param <C> the handle of the store
 */
public interface Domain<C> {

    /**
     * Writes an effect in the handle's transaction.
     *
     * @param handle the handle
     * @param name the effect's name, up to 100 characters
     */
    void write(C handle, String name);

    /**
     * Looks for an effect in the handle's transaction.
     *
     * @param handle the handle
     * @param name the effect's name
     * @return whether there is at least one
     */
    boolean isThere(C handle, String name);

    /**
     * Changes data that all transactions share under a name, so that another transaction that changes it has to wait
     * for this one to end, and two that change two names in opposite order deadlock. By default, nothing is shared, for
     * stores whose work cannot conflict.
     *
     * @param handle the handle
     * @param name {@code left} or {@code right}
     * @return whether there is shared data
     */
    default boolean changeShared(C handle, String name) {
        return false;
    }

    /**
     * Reads all committed effects on a separate connection. Called on a thread without one.
     *
     * @return their names, in any order, including duplicates
     */
    List<String> committed();
}
