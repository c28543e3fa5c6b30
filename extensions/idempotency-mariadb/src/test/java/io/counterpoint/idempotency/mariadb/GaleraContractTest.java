package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.GaleraCluster;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The whole contract over three nodes. Each session is opened on the next one, so hardly two of one test share a node. */
@Tag("galera")
class GaleraContractTest extends DialectContract {

    private static GaleraPools pools;
    private static DataSource everyNode;

    @BeforeAll
    static void open() {
        // What a test reads of the domain is there wherever it was committed.
        pools = GaleraPools.onNew(GaleraCluster.shared(), "contract", "&sessionVariables=wsrep_sync_wait=1");
        everyNode = pools.oneAfterTheOther(0, node -> {});
    }

    @AfterAll
    static void close() {
        pools.close();
    }

    @Override
    protected Dialect dialect() {
        return MariaDbDialect.galera();
    }

    @Override
    protected DataSource dataSource() {
        return everyNode;
    }

    @Override
    protected IdempotencyStore<Handle> store() {
        // Nodes compare what transactions have written by the keys of rows.
        Jdbi.create(everyNode)
                .useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS effect (number bigint NOT NULL"
                        + " AUTO_INCREMENT PRIMARY KEY, id varchar(255) NOT NULL)"));
        return super.store();
    }
}
