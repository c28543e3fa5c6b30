/**
 * The contract that every store must pass, and tools for testing under faults.
 *
 * <p>Start at {@link io.counterpoint.idempotency.testkit.IdempotencyStoreContract}, or at {@link
 * io.counterpoint.idempotency.testkit.faults.FaultyStore} for faults in your own tests.
 */
module io.counterpoint.idempotency.testkit {
    requires static transitive org.jspecify;
    requires transitive io.counterpoint.idempotency;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;

    exports io.counterpoint.idempotency.testkit;
    exports io.counterpoint.idempotency.testkit.faults;

    // The contract's tests are not public; JUnit accesses them by reflection.
    opens io.counterpoint.idempotency.testkit;
}
