package io.counterpoint.idempotency.spring;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class PostgreSqlJpaStoreContractTest extends SpringStoreContract {
    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.POSTGRESQL, Application.Way.JPA);
    }
}
