package io.counterpoint.idempotency.inbox;

import java.util.List;

/**
 * Handles several messages together, for example with a single statement.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface BatchHandler<C, M> {

    /**
     * Handles messages in the transaction in which the inbox remembers them. May run several times, with fewer
     * messages, each time after the previous run was rolled back.
     *
     * @param handle the transaction; it cannot be used to end it
     * @param messages the messages that have no effect yet, in order of delivery; never empty
     * @throws Exception as in {@link MessageHandler#handle}. An exception for several messages proves nothing about any
     *     of them: they are handled in smaller parts, and only a message that fails on its own becomes a dead letter
     */
    void handle(C handle, List<M> messages) throws Exception;
}
