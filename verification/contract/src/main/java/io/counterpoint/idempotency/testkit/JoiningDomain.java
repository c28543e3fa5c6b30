package io.counterpoint.idempotency.testkit;

import java.util.function.LongSupplier;

/**
 * A domain behind a framework, such as Spring, whose transactions join those of the store. Besides effects it has
 * entries, which have a unique name and a version.
 *
 * @param <C> the handle of the store
 */
public interface JoiningDomain<C> extends Domain<C> {

    /**
     * Commits an entry, on a separate connection.
     *
     * @param name its name
     */
    void prepare(String name);

    /**
     * Writes an entry whose name already exists. The database rejects it at once, or when the framework flushes.
     *
     * @param handle the handle
     * @param name its name
     */
    void writeAgain(C handle, String name);

    /**
     * Changes an entry, which gives it a new version.
     *
     * @param handle the handle
     * @param name its name
     * @return the version; it is the new one at the latest when the framework has flushed
     */
    LongSupplier change(C handle, String name);

    /**
     * Reads the committed version of an entry, on a separate connection.
     *
     * @param name its name
     * @return the version
     */
    long version(String name);

    /**
     * Makes a participant mark the transaction as rollback-only, without an exception.
     *
     * @param handle the handle
     */
    void markRollbackOnly(C handle);

    /**
     * Registers a callback that the framework calls before the commit.
     *
     * @param handle the handle
     * @param callback the callback
     */
    void beforeCommit(C handle, Runnable callback);

    /**
     * Registers a callback that the framework calls after the commit.
     *
     * @param handle the handle
     * @param callback the callback
     */
    void afterCommit(C handle, Runnable callback);

    /**
     * Returns whether the framework propagates exceptions from its callbacks. By default it does.
     *
     * @return false for a framework that swallows them, such as Jakarta's transaction managers
     */
    default boolean handsOnWhatCallbacksThrow() {
        return true;
    }

    /**
     * Runs code in a transaction that the framework begins and commits, regardless of any current one on this thread.
     *
     * @param code the code
     */
    void inTransactionOfItsOwn(Runnable code);

    /**
     * Returns whether the framework sees a transaction on this thread.
     *
     * @return whether there is a transaction, or anything else that a transaction left behind
     */
    boolean isInTransaction();
}
