package io.counterpoint.idempotency.spring;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** With MySQL in its stage. */
@Tag("matrix")
class MariaDbJpaStoreContractTest extends SpringStoreContract {
    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.MARIADB, Application.Way.JPA);
    }
}
