/**
 * Idempotent operations in the transactions of a Jakarta transaction manager: {@link
 * io.counterpoint.idempotency.jakarta.JakartaIdempotencyStore}.
 */
module io.counterpoint.idempotency.jakarta {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive io.counterpoint.idempotency.annotation;
    requires transitive jakarta.transaction;
    requires transitive java.sql;
    requires static io.counterpoint.idempotency.jackson;
    requires static io.counterpoint.idempotency.servlet;
    requires static jakarta.annotation;
    requires static jakarta.cdi;
    requires static jakarta.inject;
    requires static jakarta.interceptor;
    requires static jakarta.servlet;
    requires static jakarta.ws.rs;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.jakarta;

    opens io.counterpoint.idempotency.jakarta;

    provides jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension with
            io.counterpoint.idempotency.jakarta.IdempotentExtension;
    provides jakarta.servlet.ServletContainerInitializer with
            io.counterpoint.idempotency.jakarta.FilterAtStart;
}
