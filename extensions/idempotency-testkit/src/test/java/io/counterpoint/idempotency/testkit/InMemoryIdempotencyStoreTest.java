package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;

class InMemoryIdempotencyStoreTest extends IdempotencyStoreContract<Transaction> {

    @Override
    protected IdempotencyStore<Transaction> store() {
        return new InMemoryIdempotencyStore();
    }

    @Override
    protected Domain<Transaction> domain() {
        return new MemoryDomain();
    }

    @Override
    int faultsInOneCall() {
        return 2;
    }
}
