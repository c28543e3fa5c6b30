package io.counterpoint.idempotency.jdbc.spi;

import java.util.Optional;

/**
 * Whether a record was inserted.
 *
 * @param inserted false if there is one with its key
 * @param transaction the database's name for the transaction; empty where no further step asks for it
 */
public record InsertResult(boolean inserted, Optional<TransactionName> transaction) {

    /** There is a record with its key. */
    public static final InsertResult EXISTS = new InsertResult(false, Optional.empty());

    /** Inserted, and the transaction has ended. */
    public static final InsertResult COMMITTED = new InsertResult(true, Optional.empty());

    /**
     * Inserted in a transaction that goes on.
     *
     * @param transaction its name
     * @return the result
     */
    public static InsertResult in(TransactionName transaction) {
        return new InsertResult(true, Optional.of(transaction));
    }
}
