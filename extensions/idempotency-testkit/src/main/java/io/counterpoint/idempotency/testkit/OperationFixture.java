package io.counterpoint.idempotency.testkit;

/** What the parts about whole operations test: a store, and one way to run an operation. */
record OperationFixture<C>(Fixture<C> store, ProtocolVariant way) {}
