/**
 * The contract that every store must pass, and what it takes to test under faults.
 *
 * <p>Start at {@link io.counterpoint.idempotency.testkit.IdempotencyStoreContract}, or at {@link
 * io.counterpoint.idempotency.testkit.faults.FaultyStore} for faults in tests of your own.
 */
module io.counterpoint.idempotency.testkit {
    requires static transitive org.jspecify;
    requires transitive io.counterpoint.idempotency;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;

    exports io.counterpoint.idempotency.testkit;
    exports io.counterpoint.idempotency.testkit.faults;

    // The tests of the contract are not public; JUnit looks for them here.
    opens io.counterpoint.idempotency.testkit;
}
