package io.counterpoint.idempotency.spi;

/** Whether a claim must survive a crash of the database. */
public enum Durability {
    /** The claim must survive. */
    DURABLE,
    /**
     * The claim may be lost, provided that everything later in the database's history is lost with it. A store may
     * ignore this, and must do so if the claim is not alone in its transaction.
     */
    ASYNCHRONOUS
}
