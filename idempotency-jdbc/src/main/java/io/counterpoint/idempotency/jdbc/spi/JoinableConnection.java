package io.counterpoint.idempotency.jdbc.spi;

/**
 * The connection that the work gets, for a framework that joins its transaction. The connection does not let anyone end
 * the transaction, not even the framework.
 */
public interface JoinableConnection {

    /**
     * Runs what a framework does after the end of the transaction. During this time, commit and rollback do nothing
     * instead of being rejected, so that the framework can end its own view of the transaction.
     *
     * @param bookKeeping commits or rolls back when there is nothing left to end
     */
    void ended(Runnable bookKeeping);
}
