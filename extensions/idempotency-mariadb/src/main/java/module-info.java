/**
 * The dialect for MariaDB and MySQL. It uses only the public API.
 *
 * <p>Start at {@link io.counterpoint.idempotency.mariadb.MariaDbDialect}.
 */
module io.counterpoint.idempotency.mariadb {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive java.sql;
    requires static org.jspecify;

    exports io.counterpoint.idempotency.mariadb;

    provides io.counterpoint.idempotency.jdbc.spi.Dialect.Provider with
            io.counterpoint.idempotency.mariadb.MariaDbProvider;
}
