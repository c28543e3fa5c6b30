package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.testing.MariaDbServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The default of MariaDB 11.6.2 and later: a row that changed since the snapshot ends the transaction. */
@Tag("matrix")
class SnapshotIsolationContractTest extends DialectContract {

    private static TestPool database;

    @BeforeAll
    static void open() {
        database =
                TestPool.with(MariaDbServer.shared().isMySql() ? "" : "&sessionVariables=innodb_snapshot_isolation=ON");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected Dialect dialect() {
        return TestPool.dialect();
    }

    @Override
    protected DataSource dataSource() {
        return database.pool();
    }
}
