package io.counterpoint.idempotency.jdbc.spi;

/**
 * The connection passed to the work, for a framework that joins its transaction. Not even the framework can use it to
 * end the transaction.
 */
public interface JoinableConnection {

    /**
     * Runs what a framework does after the end of the transaction. During that time, commit and rollback do nothing
     * instead of being rejected, so that the framework can end its own view of the transaction.
     *
     * @param bookKeeping calls commit or rollback although nothing is left to end
     */
    void ended(Runnable bookKeeping);
}
