package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.JoiningDomain;
import io.counterpoint.idempotency.testkit.JoiningStoreContract;
import io.counterpoint.idempotency.testkit.WholeContract;
import java.sql.Connection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;

/** Both contracts of stores, where the domain is a service that insists on a transaction of Spring's. */
abstract class SpringStoreContract extends WholeContract<Connection> {

    static Application application;

    @AfterAll
    static void stop() {
        application.close();
    }

    @Override
    protected IdempotencyStore<Connection> store() {
        application.database.empty();
        return application.store();
    }

    @Override
    protected Domain<Connection> domain() {
        return new SpringDomain(application);
    }

    @Nested
    class Joining extends JoiningStoreContract<Connection> {
        @Override
        protected IdempotencyStore<Connection> store() {
            return SpringStoreContract.this.store();
        }

        @Override
        protected JoiningDomain<Connection> domain() {
            return new SpringDomain(application);
        }
    }
}
