/** Idempotency records in PostgreSQL and H2, beside the domain's own tables, through Jdbi. */
module io.counterpoint.idempotency.jdbc {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.sql;
    requires transitive org.jdbi.v3.core;
    requires static org.jspecify;
    requires static org.postgresql.jdbc;

    exports io.counterpoint.idempotency.jdbc;
}
