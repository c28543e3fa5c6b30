/** Transactions with a bounded retry, status transitions, an outbox, invalidation, checks, comparison of dual writes. */
module io.counterpoint.idempotency.consistency {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive java.sql;
    requires transitive org.jdbi.v3.core;
    requires com.fasterxml.jackson.core;
    requires static org.jspecify;
    requires static org.postgresql.jdbc;

    exports io.counterpoint.idempotency.consistency;
    exports io.counterpoint.idempotency.consistency.check;
    exports io.counterpoint.idempotency.consistency.comparison;
    exports io.counterpoint.idempotency.consistency.invalidation;
    exports io.counterpoint.idempotency.consistency.outbox;
    exports io.counterpoint.idempotency.consistency.transition;
}
