/** Consumers of messages whose effects happen once: a core for any broker, and loops for Kafka. */
module io.counterpoint.idempotency.inbox {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.sql;
    requires static kafka.clients;
    requires static org.jspecify;
    requires static spring.beans;
    requires static spring.kafka;

    exports io.counterpoint.idempotency.inbox;
    exports io.counterpoint.idempotency.inbox.kafka;
    exports io.counterpoint.idempotency.inbox.spring;
}
