package io.counterpoint.idempotency.testkit;

import java.util.List;

/**
 * The simplest domain of a store: effects that have a name. It must not refuse a second effect of the same name, so that
 * one that should not be there is seen.
 *
 * @param <C> the handle of the store
 */
public interface Domain<C> {

    /**
     * Writes an effect, as part of the handle's transaction.
     *
     * @param handle the handle
     * @param name the effect's name, up to 100 characters
     */
    void write(C handle, String name);

    /**
     * Looks for an effect, in the handle's transaction.
     *
     * @param handle the handle
     * @param name the effect's name
     * @return whether there is one, or more
     */
    boolean isThere(C handle, String name);

    /**
     * Changes what all transactions share under a name, so that another transaction that changes it too waits for the end
     * of this one. Two that change two names in opposite order then are in a deadlock. By default there is nothing shared:
     * for stores whose work cannot be in conflict.
     *
     * @param handle the handle
     * @param name {@code left} or {@code right}
     * @return whether there is something shared
     */
    default boolean changeShared(C handle, String name) {
        return false;
    }

    /**
     * Reads all committed effects, on a connection of its own. Called on a thread that has none.
     *
     * @return their names, in any order, repeated where there are several
     */
    List<String> committed();
}
