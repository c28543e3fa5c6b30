package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.function.Supplier;

/**
 * What the parts of a contract test.
 *
 * @param store asked for once for each test
 * @param domain asked for once for each test, after the store
 */
record Fixture<C>(Supplier<IdempotencyStore<C>> store, Supplier<Domain<C>> domain) {}
