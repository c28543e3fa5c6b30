package io.counterpoint.idempotency.testkit;

import java.util.function.LongSupplier;

/**
 * A domain behind a framework whose transactions join those of the store, such as Spring's. Besides effects it has
 * entries, which have a unique name and a version.
 *
 * @param <C> the handle of the store
 */
public interface JoiningDomain<C> extends Domain<C> {

    /**
     * Commits an entry, on a connection of its own.
     *
     * @param name its name
     */
    void prepare(String name);

    /**
     * Writes an entry of a name that there is already. The database refuses it: at once, or where the framework writes
     * what it holds back.
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
     * @return the version, which is the new one at the latest when the framework has written what it holds back
     */
    LongSupplier change(C handle, String name);

    /**
     * Reads the committed version of an entry, on a connection of its own.
     *
     * @param name its name
     * @return the version
     */
    long version(String name);

    /**
     * Lets a participant mark the transaction as rollback-only, without an exception.
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
     * Asks whether the framework hands on what its callbacks throw. By default it does.
     *
     * @return false for a framework that keeps it, as the transaction managers of Jakarta do
     */
    default boolean handsOnWhatCallbacksThrow() {
        return true;
    }

    /**
     * Runs code in a transaction that the framework begins, whatever it sees on this thread, and commits.
     *
     * @param code the code
     */
    void inTransactionOfItsOwn(Runnable code);

    /**
     * Asks the framework what it sees on this thread.
     *
     * @return whether there is a transaction, or anything else that a transaction left
     */
    boolean isInTransaction();
}
