package io.counterpoint.idempotency.jdbc.spi;

/**
 * The database's name for a transaction, which lets a later step determine whether it is still in the same one.
 *
 * @param text the name as used in the statements of the dialect
 */
public record TransactionName(String text) {

    @Override
    public String toString() {
        return text;
    }
}
