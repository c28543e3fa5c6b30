/** Counters, timers, gauges and observations for idempotent operations, with Micrometer. */
module io.counterpoint.idempotency.micrometer {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.sql;
    requires micrometer.commons;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.micrometer;
}
