package io.counterpoint.idempotency.jdbc.spi;

/**
 * The connection that the work gets, for a framework that joins its transaction. The connection refuses to end the
 * transaction, also to the framework.
 */
public interface JoinableConnection {

    /**
     * Runs what a framework does after the end of the transaction. In this time commit and rollback do nothing, instead of
     * being refused, so that the framework can end its own view of the transaction.
     *
     * @param bookKeeping commits or rolls back where there is nothing left to end
     */
    void ended(Runnable bookKeeping);
}
