package io.counterpoint.idempotency.jdbc.spi;

/**
 * The database's name for a transaction, from which a later step determines whether it is still in the same one.
 *
 * @param text the name in the form that the dialect's statements use
 */
public record TransactionName(String text) {

    @Override
    public String toString() {
        return text;
    }
}
