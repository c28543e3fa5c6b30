package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.MariaDbServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The default of MariaDB 11.6.2 and later: a row that changed since the snapshot ends the transaction. */
@Tag("matrix")
class SnapshotIsolationContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database =
                TestPool.with(MariaDbServer.shared().isMySql() ? "" : "&sessionVariables=innodb_snapshot_isolation=ON");
    }
}
