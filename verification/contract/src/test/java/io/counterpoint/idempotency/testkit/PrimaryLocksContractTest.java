package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import org.junit.jupiter.api.Tag;

/** The contract of a store whose locks hold as long as their server is the primary, with all sessions on one. */
@Tag("thorough")
class PrimaryLocksContractTest extends WholeContract<Transaction> {

    @Override
    protected IdempotencyStore<Transaction> store() {
        return new ForwardingStore<>(new InMemoryIdempotencyStore()) {
            @Override
            public LockScope lockScope() {
                return LockScope.PRIMARY;
            }
        };
    }

    @Override
    protected Domain<Transaction> domain() {
        return new MemoryDomain();
    }
}
