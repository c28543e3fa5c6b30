/** Encryption of stored results, around any codec. */
module io.counterpoint.idempotency.encryption {
    requires transitive io.counterpoint.idempotency;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.encryption;
}
