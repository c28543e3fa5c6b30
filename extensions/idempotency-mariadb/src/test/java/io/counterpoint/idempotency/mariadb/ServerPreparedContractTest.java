package io.counterpoint.idempotency.mariadb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Statements that the server prepares, and a driver that counts changed rows only. */
@Tag("matrix")
class ServerPreparedContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.with("&useServerPrepStmts=true&useAffectedRows=true");
    }
}
