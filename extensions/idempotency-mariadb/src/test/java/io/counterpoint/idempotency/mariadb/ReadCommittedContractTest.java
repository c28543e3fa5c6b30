package io.counterpoint.idempotency.mariadb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("matrix")
class ReadCommittedContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.at("READ-COMMITTED");
    }
}
