package io.counterpoint.idempotency.jdbc.hsqldb;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.OperationsContract;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Whole operations over the dialect of two files. */
@Tag("thorough")
class HsqldbOperationsTest extends OperationsContract<Handle> {

    private final Prepared dialect = new Prepared();

    /** Makes and empties the tables, as its tests do. */
    private static final class Prepared extends HsqldbDialectTest {
        private IdempotencyStore<Handle> emptied() {
            return store();
        }

        private Domain<Handle> effects() {
            return domain();
        }
    }

    @BeforeAll
    static void open() {
        HsqldbDialectTest.open();
    }

    @AfterAll
    static void close() {
        HsqldbDialectTest.close();
    }

    @Override
    protected IdempotencyStore<Handle> store() {
        return dialect.emptied();
    }

    @Override
    protected Domain<Handle> domain() {
        return dialect.effects();
    }
}
