/** Compares two sources of any size while they are written, and repairs one from the other. */
module io.counterpoint.idempotency.consistency.comparison {
    requires transitive io.counterpoint.idempotency;
    requires io.counterpoint.idempotency.consistency;
    requires java.sql;
    requires transitive org.jdbi.v3.core;
    requires com.fasterxml.jackson.core;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.consistency.comparison;
}
