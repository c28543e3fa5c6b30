/** Idempotency records in PostgreSQL and H2, next to the domain's own tables. */
@SuppressWarnings("module")
module io.counterpoint.idempotency.jdbc {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.sql;
    requires static org.jspecify;
    requires static org.jdbi.v3.core;
    requires static org.postgresql.jdbc;

    uses io.counterpoint.idempotency.jdbc.spi.Dialect.Provider;

    exports io.counterpoint.idempotency.jdbc;
    exports io.counterpoint.idempotency.jdbc.spi;
    // For connections whose transactions are ended by a manager.
    exports io.counterpoint.idempotency.jdbc.session to
            io.counterpoint.idempotency.jakarta,
            io.counterpoint.idempotency.spring;
}
