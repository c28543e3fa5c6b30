/**
 * Idempotent operations whose domain works through Spring's transactions: {@link
 * io.counterpoint.idempotency.spring.SpringIdempotencyStore}.
 */
module io.counterpoint.idempotency.spring {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive java.sql;
    requires transitive spring.tx;
    requires spring.beans;
    requires spring.core;
    requires spring.jdbc;
    requires static java.naming;
    requires static jakarta.persistence;
    requires static org.hibernate.orm.core;
    requires static org.jspecify;
    requires static spring.orm;

    exports io.counterpoint.idempotency.spring;
}
