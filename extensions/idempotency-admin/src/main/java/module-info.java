/**
 * Administration for operators: records, resolutions with an audit trail, statistics, and an examination of the
 * database.
 *
 * <p>Start at {@link io.counterpoint.idempotency.admin.Administration}. The command line is in
 * {@code io.counterpoint.idempotency.admin.cli}.
 */
module io.counterpoint.idempotency.admin {
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive java.sql;
    requires static com.fasterxml.jackson.databind;
    requires static com.zaxxer.hikari;
    requires static info.picocli;
    requires static org.jspecify;
    requires static org.postgresql.jdbc;

    exports io.counterpoint.idempotency.admin;

    opens io.counterpoint.idempotency.admin.cli to
            info.picocli;
}
