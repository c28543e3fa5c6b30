package io.counterpoint.idempotency.testkit;

/**
 * What the contracts of operations test.
 *
 * @param store the store
 * @param way one way to run an operation
 * @param faultsInOneCall how many faults occur in one call in tests that try every fault at every step
 */
record OperationFixture<C>(Fixture<C> store, ProtocolVariant way, int faultsInOneCall) {}
