package io.counterpoint.idempotency.inbox;

/**
 * Where dead letters go: into the database of the inbox, in the transaction that remembers the message as failed.
 *
 * @param <C> the handle of the transaction
 */
@FunctionalInterface
public interface DeadLetters<C> {

    /**
     * Stores a dead letter. The message is acknowledged only after the commit of this transaction.
     *
     * @param handle the transaction; it refuses to be ended
     * @param letter the letter; one with the same id may be there already, and then stays as it is
     * @throws Exception if it cannot be stored; the message is then neither failed nor acknowledged
     */
    void store(C handle, DeadLetter letter) throws Exception;

    /**
     * Checks whether dead letters can be stored. By default: nothing.
     *
     * @param handle a transaction, which is rolled back afterwards
     * @throws Exception if they cannot
     */
    default void check(C handle) throws Exception {}
}
