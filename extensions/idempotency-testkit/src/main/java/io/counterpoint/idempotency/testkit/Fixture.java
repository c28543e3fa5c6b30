package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.function.Supplier;

/**
 * The subject of the parts of a contract.
 *
 * @param store supplies the store, once per test
 * @param domain supplies the domain, once per test, after the store
 */
record Fixture<C>(Supplier<IdempotencyStore<C>> store, Supplier<Domain<C>> domain) {}
