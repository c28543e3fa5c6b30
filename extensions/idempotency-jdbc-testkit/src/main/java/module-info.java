/**
 * The contract that every dialect of a database must pass.
 *
 * <p>Start at {@link io.counterpoint.idempotency.jdbc.testkit.DialectContract}.
 */
module io.counterpoint.idempotency.jdbc.testkit {
    requires static transitive org.jspecify;
    requires transitive io.counterpoint.idempotency;
    requires transitive io.counterpoint.idempotency.jdbc;
    requires transitive io.counterpoint.idempotency.testkit;
    requires transitive java.sql;
    requires transitive org.jdbi.v3.core;
    requires org.assertj.core;
    requires transitive org.junit.jupiter.api;

    exports io.counterpoint.idempotency.jdbc.testkit;

    // The contract's tests are not public; JUnit accesses them by reflection.
    opens io.counterpoint.idempotency.jdbc.testkit;
}
