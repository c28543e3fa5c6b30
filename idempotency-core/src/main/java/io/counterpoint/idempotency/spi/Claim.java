package io.counterpoint.idempotency.spi;

/** The answer to a claim: either the record was inserted, or there is one already. */
public sealed interface Claim {

    /** The record was inserted: its token leads the key. */
    record Leads() implements Claim {}

    /**
     * There is a committed record for the key; nothing was written.
     *
     * @param record what was found
     */
    record Follows(IdempotencyRecord record) implements Claim {}
}
