/** Queries for wrong rows, on a schedule, and repairs with caps and an audit. */
module io.counterpoint.idempotency.consistency.check {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.consistency;
    requires java.sql;
    requires transitive org.jdbi.v3.core;
    requires com.fasterxml.jackson.core;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.consistency.check;
}
