/** Events that commit with their change, and a publisher that delivers each at least once. */
module io.counterpoint.idempotency.consistency.outbox {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.consistency;
    requires java.sql;
    requires transitive org.jdbi.v3.core;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.consistency.outbox;
}
