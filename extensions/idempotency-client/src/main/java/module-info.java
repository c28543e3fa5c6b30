/** One key per HTTP call for all of its tries, and a typed result. */
module io.counterpoint.idempotency.client {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.net.http;
    requires transitive java.sql;
    requires static org.jspecify;
    requires static spring.core;
    requires static spring.web;

    exports io.counterpoint.idempotency.client;
}
