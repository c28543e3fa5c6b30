package io.counterpoint.idempotency.testkit;

/**
 * What the parts about whole operations test.
 *
 * @param store the store
 * @param way one way to run an operation
 * @param faultsInOneCall how many faults one call meets where every fault is tried at every step
 */
record OperationFixture<C>(Fixture<C> store, ProtocolVariant way, int faultsInOneCall) {}
