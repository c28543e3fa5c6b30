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
 * The contract under stricter isolation than PostgreSQL's default, chosen by the application or set in the
 * server. The ordinary build runs none of them, since they are no other code. Of each level the profile {@code matrix}
 * runs the one that the server sets, and the profile {@code pgbouncer} the one that the application chooses.
 */
class PostgreSqlIsolationContractTest {

    @TestInstance(Lifecycle.PER_CLASS)
    abstract static class Isolated extends JdbiStoreContract {
        private final String[] settings;
        private TestDatabase database;

        Isolated(String... settings) {
            this.settings = settings;
        }

        @BeforeAll
        void open() {
            database = TestDatabase.postgresql(settings);
        }

        @AfterAll
        void close() {
            database.close();
        }

        @Override
        TestDatabase database() {
            return database;
        }
    }

    abstract static class ChosenByTheApplication extends Isolated {
        private final Isolation level;

        ChosenByTheApplication(Isolation level) {
            this.level = level;
        }

        @Override
        protected IdempotencyStore<Handle> store() {
            super.store();
            return database().named().toBuilder().isolation(level).build();
        }
    }

    @Nested
    @Tag("gateway")
    class RepeatableReadChosenByTheApplication extends ChosenByTheApplication {
        RepeatableReadChosenByTheApplication() {
            super(Isolation.REPEATABLE_READ);
        }
    }

    @Nested
    @Tag("gateway")
    class SerializableChosenByTheApplication extends ChosenByTheApplication {
        SerializableChosenByTheApplication() {
            super(Isolation.SERIALIZABLE);
        }
    }

    @Nested
    @Tag("matrix")
    @Tag("direct")
    class RepeatableReadSetInTheServer extends Isolated {
        RepeatableReadSetInTheServer() {
            super("default_transaction_isolation=repeatable read");
        }
    }

    @Nested
    @Tag("matrix")
    @Tag("direct")
    class SerializableSetInTheServer extends Isolated {
        SerializableSetInTheServer() {
            super("default_transaction_isolation=serializable");
        }
    }
}
