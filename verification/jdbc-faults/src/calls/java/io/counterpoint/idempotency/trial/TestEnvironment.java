package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A database, and the stores that reach it through one pool in front of which a driver fails. For one thread. */
final class TestEnvironment implements AutoCloseable {

    final TestedDatabase database;
    final boolean autoCommit;
    final StrictPool pool;
    final FailingDriver driver;
    final Tables tables;
    private final Map<Made, IdempotencyStore<Domain>> stores = new HashMap<>();
    private final StrictPool healthyPool;
    /** Of another caller, whose driver never fails. */
    final IdempotencyStore<Domain> healthyStore;

    TestEnvironment(List<? extends Made> kinds, TestedDatabase database, boolean autoCommit) throws SQLException {
        this.database = database;
        this.autoCommit = autoCommit;
        this.pool = StrictPool.ofOne(database, autoCommit);
        this.driver = new FailingDriver(pool);
        this.tables = new Tables(database);
        this.healthyPool = StrictPool.ofOne(database, true);
        this.healthyStore = database.store(new FailingDriver(healthyPool).dataSource())
                .checkTable()
                .mapped(Domain.OfHandle::new);
        for (Made made : kinds) {
            stores.put(made, made.in(database, driver.dataSource()));
        }
    }

    IdempotencyStore<Domain> store(Made made) {
        return stores.get(made);
    }

    @Override
    public String toString() {
        return database.name + (autoCommit ? "" : " without autocommit");
    }

    @Override
    public void close() throws SQLException {
        pool.close();
        healthyPool.close();
        tables.close();
    }
}
