package io.counterpoint.idempotency.inbox;

/**
 * Handles one message.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface MessageHandler<C, M> {

    /**
     * Handles a message in the transaction in which the inbox remembers it. May run several times, each time after the
     * previous run was rolled back.
     *
     * @param handle the transaction; it cannot be used to end it
     * @param message the message
     * @throws Exception if it cannot be handled; everything done through the handle is rolled back. A transient fault
     *     of the database, an {@link InterruptedException}, a {@link LinkageError}, a {@link VirtualMachineError} other
     *     than {@link StackOverflowError}, an exception that one of these has caused, and exceptions declared with
     *     {@link InboxBuilder#retryOn} postpone the message. Anything else makes it a dead letter
     */
    void handle(C handle, M message) throws Exception;
}
