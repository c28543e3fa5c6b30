package io.counterpoint.idempotency.inbox;

/**
 * Stores dead letters in the database of the inbox, in the transaction that remembers the message as failed.
 *
 * @param <C> the handle of the transaction
 */
@FunctionalInterface
public interface DeadLetters<C> {

    /**
     * Stores a dead letter. The message is acknowledged only after this transaction has committed.
     *
     * @param handle the transaction; it cannot be used to end it
     * @param letter the letter; if one with the same id already exists, it must stay unchanged
     * @throws Exception if it cannot be stored; the message is then neither failed nor acknowledged
     */
    void store(C handle, DeadLetter letter) throws Exception;

    /**
     * Checks whether dead letters can be stored. By default, does nothing.
     *
     * @param handle a transaction, which is rolled back afterwards
     * @throws Exception if they cannot be stored
     */
    default void check(C handle) throws Exception {}
}
