package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.IdempotencyStoreContract;
import java.sql.Connection;
import java.util.List;

/** The contract of stores, where the domain is a service that insists on a transaction of Spring's. */
abstract class SpringStoreContract extends IdempotencyStoreContract<Connection> {

    abstract Application application();

    @Override
    protected IdempotencyStore<Connection> store() {
        application().database.empty();
        return application().store();
    }

    @Override
    protected Domain<Connection> domain() {
        Effects effects = application().bean(Effects.class);
        return new Domain<>() {
            @Override
            public void write(Connection unused, String name) {
                effects.write(name);
            }

            @Override
            public boolean isThere(Connection unused, String name) {
                return effects.isThere(name);
            }

            @Override
            public List<String> committed() {
                return application().database.effects();
            }
        };
    }
}
