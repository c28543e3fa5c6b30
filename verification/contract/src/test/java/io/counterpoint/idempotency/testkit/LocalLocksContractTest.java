package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import org.junit.jupiter.api.Tag;

/** The contract of a store that says that its locks are local, with all sessions on one node. */
@Tag("thorough")
class LocalLocksContractTest extends PrimaryLocksContractTest {

    @Override
    protected IdempotencyStore<Transaction> store() {
        return new ForwardingStore<>(super.store()) {
            @Override
            public LockScope lockScope() {
                return LockScope.NODE;
            }
        };
    }
}
