package io.counterpoint.idempotency.jdbc.spi;

/**
 * The database's name for a transaction, by which a later step finds out whether it still is in the same one.
 *
 * @param text the name as the statements of the dialect have it
 */
public record TransactionName(String text) {

    @Override
    public String toString() {
        return text;
    }
}
