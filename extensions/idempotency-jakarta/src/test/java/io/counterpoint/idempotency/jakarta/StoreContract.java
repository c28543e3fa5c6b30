package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.IdempotencyStoreContract;
import io.counterpoint.idempotency.testkit.JoiningDomain;
import io.counterpoint.idempotency.testkit.JoiningStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;

/** Both contracts of stores, where the domain finds its transaction on the thread. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StoreContract extends IdempotencyStoreContract<Connection> {

    private final Database.Way way;
    private Database database;

    StoreContract(Database.Way way) {
        this.way = way;
    }

    @BeforeAll
    void open() throws SQLException {
        database = Database.open(way);
    }

    @AfterAll
    void close() throws Exception {
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
