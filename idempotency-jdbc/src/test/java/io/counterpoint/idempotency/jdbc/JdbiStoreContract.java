package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.WholeContract;
import java.util.List;
import org.jdbi.v3.core.Handle;

/** The contract on a real database, which is emptied for each test. */
abstract class JdbiStoreContract extends WholeContract<Handle> {

    abstract TestDatabase database();

    @Override
    protected IdempotencyStore<Handle> store() {
        database().jdbi().useTransaction(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
            handle.execute(
                    "CREATE TABLE IF NOT EXISTS shared (id varchar(10) NOT NULL PRIMARY KEY, changes int NOT NULL)");
            handle.execute("DELETE FROM shared");
            handle.execute("INSERT INTO shared (id, changes) VALUES ('left', 0), ('right', 0)");
        });
        return database().named().checkTable();
    }

    @Override
    protected Domain<Handle> domain() {
        return new Domain<>() {
            @Override
            public void write(Handle handle, String name) {
                TestDatabase.write(handle, name);
            }

            @Override
            public boolean isThere(Handle handle, String name) {
                return TestDatabase.isThere(handle, name);
            }

            @Override
            public boolean changeShared(Handle handle, String name) {
                handle.execute("UPDATE shared SET changes = changes + 1 WHERE id = ?", name);
                return true;
            }

            @Override
            public List<String> committed() {
                return database().effects();
            }
        };
    }
}
