package io.counterpoint.idempotency.spring;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("matrix")
class H2JdbcStoreContractTest extends SpringStoreContract {
    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.H2, Application.Way.JDBC);
    }
}
