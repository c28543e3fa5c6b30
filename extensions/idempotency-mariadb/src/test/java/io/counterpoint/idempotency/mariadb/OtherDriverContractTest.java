package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.MariaDbServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** MariaDB's driver on MySQL, and MySQL's on MariaDB. */
@Tag("matrix")
class OtherDriverContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.by(MariaDbServer.shared().isMySql() ? Driver.MARIADB : Driver.MYSQL, "");
    }
}
