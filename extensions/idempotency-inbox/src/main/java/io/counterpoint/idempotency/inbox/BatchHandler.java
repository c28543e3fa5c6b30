package io.counterpoint.idempotency.inbox;

import java.util.List;

/**
 * Handles several messages together, for example with one statement for all.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's message type
 */
@FunctionalInterface
public interface BatchHandler<C, M> {

    /**
     * Handles messages in the transaction in which the inbox records them. May run several times, with fewer of them,
     * each after the earlier run was rolled back.
     *
     * @param handle the transaction, which refuses to be ended
     * @param messages the messages that have no effect yet, in the order of delivery; never empty
     * @throws Exception as {@link MessageHandler#handle}. An exception for several messages proves nothing about any of
     *     them. They are then handled in smaller groups, and only a message that failed alone becomes a dead letter
     */
    void handle(C handle, List<M> messages) throws Exception;
}
