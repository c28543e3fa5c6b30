package io.counterpoint.idempotency.inbox;

/**
 * Stores dead letters in the database of the inbox, in the transaction that records the message as failed.
 *
 * @param <C> the handle of the transaction
 */
@FunctionalInterface
public interface DeadLetters<C> {

    /**
     * Stores a dead letter. The message is acknowledged only after the commit of this transaction.
     *
     * @param handle the transaction, which refuses to be ended
     * @param letter the letter; an existing one with the same id is kept unchanged
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
