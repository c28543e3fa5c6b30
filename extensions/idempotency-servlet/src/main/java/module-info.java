/** The Idempotency-Key header for Jakarta Servlet: a filter, its problems and its replays. */
module io.counterpoint.idempotency.servlet {
    requires transitive io.counterpoint.idempotency;
    requires transitive jakarta.servlet;
    requires java.sql;
    requires static jakarta.ws.rs;
    requires static jakarta.annotation;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.servlet;
}
