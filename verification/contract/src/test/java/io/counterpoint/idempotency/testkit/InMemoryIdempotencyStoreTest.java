package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

class InMemoryIdempotencyStoreTest extends IdempotencyStoreContract<Transaction> {

    @Override
    protected IdempotencyStore<Transaction> store() {
        return new InMemoryIdempotencyStore();
    }

    @Override
    protected Domain<Transaction> domain() {
        return new MemoryDomain();
    }

    @Nested
    class Operations extends OperationsContract<Transaction> {
        @Override
        protected IdempotencyStore<Transaction> store() {
            return InMemoryIdempotencyStoreTest.this.store();
        }

        @Override
        protected Domain<Transaction> domain() {
            return InMemoryIdempotencyStoreTest.this.domain();
        }

        @Override
        int faultsInOneCall() {
            return 2;
        }

        /** Record last with a plan. Of the other stores only the profile {@code matrix} runs it. */
        @Nested
        @Tag("planned")
        class RecordLastPlannedInEachBuild extends RecordLastContract<Transaction> {
            RecordLastPlannedInEachBuild() {
                super(of(ProtocolVariant.RECORD_LAST_PLANNED));
            }
        }
    }
}
