/**
 * Idempotency for operations whose effect must happen once: claim, leader, follower, heal, replay.
 *
 * <p>Start at {@link io.counterpoint.idempotency.Idempotency}. Other modules implement {@code
 * io.counterpoint.idempotency.spi} for databases.
 */
// The modules that the last package is exported to need not be present.
@SuppressWarnings("module")
module io.counterpoint.idempotency {
    requires static transitive org.jspecify;

    exports io.counterpoint.idempotency;
    exports io.counterpoint.idempotency.function;
    exports io.counterpoint.idempotency.http;
    exports io.counterpoint.idempotency.memory;
    exports io.counterpoint.idempotency.spi;
    exports io.counterpoint.idempotency.internal to
            io.counterpoint.idempotency.annotation,
            io.counterpoint.idempotency.client,
            io.counterpoint.idempotency.consistency,
            io.counterpoint.idempotency.inbox,
            io.counterpoint.idempotency.jakarta,
            io.counterpoint.idempotency.jdbc,
            io.counterpoint.idempotency.servlet,
            io.counterpoint.idempotency.spring.boot,
            io.counterpoint.idempotency.testkit;
}
