/** Transactions with an isolation level and a bounded retry, and what the consistency toolkit shares. */
// The four parts are compiled later, and are not needed here.
@SuppressWarnings("module")
module io.counterpoint.idempotency.consistency {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive java.sql;
    requires transitive org.jdbi.v3.core;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.consistency;
    exports io.counterpoint.idempotency.consistency.internal to
            io.counterpoint.idempotency.consistency.check,
            io.counterpoint.idempotency.consistency.comparison,
            io.counterpoint.idempotency.consistency.outbox,
            io.counterpoint.idempotency.consistency.transition;
}
