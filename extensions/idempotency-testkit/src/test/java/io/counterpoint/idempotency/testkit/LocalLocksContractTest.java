package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Tag;

/** The contract of a store that says that its locks are local, with all sessions on one node. */
@Tag("thorough")
class LocalLocksContractTest extends IdempotencyStoreContract<Transaction> {

    @Override
    protected IdempotencyStore<Transaction> store() {
        return new ForwardingStore<>(new InMemoryIdempotencyStore()) {
            @Override
            public boolean hasGlobalLocks() {
                return false;
            }

            @Override
            public boolean onlyWorkEndsTransactions() {
                return false;
            }
        };
    }

    @Override
    protected Domain<Transaction> domain() {
        return new MemoryDomain();
    }
}
