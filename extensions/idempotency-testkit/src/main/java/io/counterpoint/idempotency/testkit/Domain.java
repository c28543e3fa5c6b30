package io.counterpoint.idempotency.testkit;

import java.util.List;

/**
 * The simplest domain for a store: named effects. It must not reject a second effect with the same name, so that tests
 * can detect one.
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
     * Looks up an effect, in the handle's transaction.
     *
     * @param handle the handle
     * @param name the effect's name
     * @return whether there is at least one
     */
    boolean isThere(C handle, String name);

    /**
     * Changes a value that all transactions share under a name, so that another transaction that changes it waits for
     * this one to end. Two transactions that change two names in opposite order then deadlock. By default, nothing is
     * shared, for stores whose work cannot conflict.
     *
     * @param handle the handle
     * @param name {@code left} or {@code right}
     * @return whether there is something shared
     */
    default boolean changeShared(C handle, String name) {
        return false;
    }

    /**
     * Reads all committed effects on its own connection. Called on a thread without an open connection.
     *
     * @return their names in any order, repeated if there are several
     */
    List<String> committed();
}
