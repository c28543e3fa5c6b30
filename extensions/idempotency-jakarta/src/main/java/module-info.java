/**
 * Idempotent operations whose domain works through the transactions of a Jakarta transaction manager: {@link
 * io.counterpoint.idempotency.jakarta.JakartaIdempotencyStore}.
 */
module io.counterpoint.idempotency.jakarta {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive jakarta.transaction;
    requires transitive java.sql;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.jakarta;
}
