/** A status column that moves along declared transitions only. */
module io.counterpoint.idempotency.consistency.transition {
    requires transitive io.counterpoint.idempotency.consistency;
    requires transitive org.jdbi.v3.core;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.consistency.transition;
}
