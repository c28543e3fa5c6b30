package io.counterpoint.idempotency.inbox;

import java.util.List;

/**
 * Handles several messages together, for example with one statement for all.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's type of messages
 */
@FunctionalInterface
public interface BatchHandler<C, M> {

    /**
     * Handles messages, in the transaction in which the inbox remembers them. May run several times, with fewer of them,
     * each after the earlier run was rolled back.
     *
     * @param handle the transaction; it refuses to be ended
     * @param messages those that have no effect yet, in the order of their delivery; never empty
     * @throws Exception as {@link MessageHandler#handle}. What is thrown for several messages proves nothing about any of
     *     them. They are handled in smaller parts, and only a message that failed alone becomes a dead letter
     */
    void handle(C handle, List<M> messages) throws Exception;
}
