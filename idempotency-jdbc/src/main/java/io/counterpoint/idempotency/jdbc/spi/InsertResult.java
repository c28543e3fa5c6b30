package io.counterpoint.idempotency.jdbc.spi;

import java.util.Optional;

/**
 * Whether a record was inserted.
 *
 * @param inserted false if a record with its key exists
 * @param transaction the database's name for the transaction; empty if no later step needs it
 */
public record InsertResult(boolean inserted, Optional<TransactionName> transaction) {

    /** A record with its key exists. */
    public static final InsertResult EXISTS = new InsertResult(false, Optional.empty());

    /** Inserted, and the transaction has ended. */
    public static final InsertResult COMMITTED = new InsertResult(true, Optional.empty());

    /**
     * Returns the result of an insert in a transaction that continues.
     *
     * @param transaction its name
     * @return the result
     */
    public static InsertResult in(TransactionName transaction) {
        return new InsertResult(true, Optional.of(transaction));
    }
}
