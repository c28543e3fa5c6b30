/**
 * Idempotency for operations whose effect must happen once: claim, leader, follower, heal, replay.
 *
 * <p>Start at {@link io.counterpoint.idempotency.Idempotency}. Databases come from other modules, which implement
 * {@code io.counterpoint.idempotency.spi}.
 */
module io.counterpoint.idempotency {
    requires static transitive org.jspecify;

    exports io.counterpoint.idempotency;
    exports io.counterpoint.idempotency.memory;
    exports io.counterpoint.idempotency.spi;
}
