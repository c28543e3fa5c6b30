package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.JoiningDomain;
import io.counterpoint.idempotency.testkit.JoiningStoreContract;
import io.counterpoint.idempotency.testkit.WholeContract;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** Both contracts of stores, where the domain finds its transaction on the thread. */
abstract class StoreContract extends WholeContract<Connection> {

    /** Opened by each subclass before all of its tests. */
    static Database database;

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    @Override
    protected IdempotencyStore<Connection> store() {
        database.empty();
        return Database.checked(database.store());
    }

    @Override
    protected Domain<Connection> domain() {
        return new JakartaDomain(database);
    }

    @Nested
    class Joining extends JoiningStoreContract<Connection> {
        @Override
        protected IdempotencyStore<Connection> store() {
            return StoreContract.this.store();
        }

        @Override
        protected JoiningDomain<Connection> domain() {
            return new JakartaDomain(database);
        }
    }
}
