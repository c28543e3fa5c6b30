package io.counterpoint.idempotency.spi;

/** Whether a claim must survive a crash of the database. */
public enum Durability {
    /** It must. */
    DURABLE,
    /**
     * It may be lost if everything later in the database's history is lost with it. A store may ignore this, and must
     * if the claim is not alone in its transaction.
     */
    ASYNCHRONOUS
}
