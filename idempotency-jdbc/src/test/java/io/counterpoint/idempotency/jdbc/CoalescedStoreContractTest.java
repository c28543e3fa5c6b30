package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The contract of a store that is made from a data source. Every read is coalesced, whether there are concurrent
 * callers or not. The profile {@code pgbouncer} runs it on PostgreSQL, the profile {@code matrix} on H2.
 */
class CoalescedStoreContractTest {

    @TestInstance(Lifecycle.PER_CLASS)
    abstract static class Coalesced extends JdbiStoreContract {
        private TestDatabase database;
        private IdempotencyStore<Handle> coalesced;

        abstract TestDatabase create();

        @BeforeAll
        void open() {
            database = create();
            coalesced = new CoalescingStore<>(
                            database.storeOnPool().toBuilder()
                                    .table(TestDatabase.TABLE)
                                    .build(),
                            0,
                            () -> "one")
                    .checkTable();
        }

        @AfterAll
        void close() {
            database.close();
        }

        @Override
        TestDatabase database() {
            return database;
        }

        @Override
        protected IdempotencyStore<Handle> store() {
            super.store();
            return coalesced;
        }
    }

    @Nested
    @Tag("gateway")
    class OnPostgreSql extends Coalesced {
        @Override
        TestDatabase create() {
            return TestDatabase.postgresql();
        }
    }

    @Nested
    @Tag("matrix")
    @Tag("direct")
    class OnH2 extends Coalesced {
        @Override
        TestDatabase create() {
            return TestDatabase.h2();
        }
    }
}
