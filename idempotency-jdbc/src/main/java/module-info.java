/** Idempotency records in PostgreSQL and H2, beside the domain's own tables, through Jdbi. */
module io.counterpoint.idempotency.jdbc {
    requires transitive io.counterpoint.idempotency;
    requires transitive java.sql;
    requires transitive org.jdbi.v3.core;
    // Jdbi is an automatic module, which cannot say that it needs these two.
    requires io.leangen.geantyref;
    requires org.slf4j;
    requires static org.jspecify;
    requires static org.postgresql.jdbc;

    uses io.counterpoint.idempotency.jdbc.spi.Dialect.Provider;

    exports io.counterpoint.idempotency.jdbc;
    exports io.counterpoint.idempotency.jdbc.spi;
}
