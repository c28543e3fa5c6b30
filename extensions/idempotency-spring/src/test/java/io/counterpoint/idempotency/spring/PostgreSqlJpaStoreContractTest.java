package io.counterpoint.idempotency.spring;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class PostgreSqlJpaStoreContractTest extends SpringStoreContract {

    private static Application application;

    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.POSTGRESQL, Application.Way.JPA);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Override
    Application application() {
        return application;
    }
}
