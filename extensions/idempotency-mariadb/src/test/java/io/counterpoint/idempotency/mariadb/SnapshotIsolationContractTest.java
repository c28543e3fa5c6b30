package io.counterpoint.idempotency.mariadb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The default of MariaDB 11.6.2 and later: a row that changed since the snapshot ends the transaction. */
@Tag("matrix")
@Tag("mariadb")
class SnapshotIsolationContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.with("&sessionVariables=innodb_snapshot_isolation=ON");
    }
}
