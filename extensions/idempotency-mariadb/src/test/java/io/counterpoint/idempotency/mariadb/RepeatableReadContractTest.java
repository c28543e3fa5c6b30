package io.counterpoint.idempotency.mariadb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class RepeatableReadContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.at("REPEATABLE-READ");
    }
}
