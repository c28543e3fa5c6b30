/**
 * Tests your use case under every fault of its database, within your own tests.
 *
 * <p>Start at {@link io.counterpoint.idempotency.trial.FaultInjection}.
 */
module io.counterpoint.idempotency.trial {
    requires static transitive org.jspecify;
    requires static org.junit.jupiter.api;
    requires io.counterpoint.idempotency;
    requires transitive java.sql;

    exports io.counterpoint.idempotency.trial;
}
