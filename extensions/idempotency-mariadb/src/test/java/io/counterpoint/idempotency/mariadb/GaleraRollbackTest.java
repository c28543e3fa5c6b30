package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.GaleraCluster;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Nodes of Galera. */
@Tag("galera")
class GaleraRollbackTest extends RolledBackCalls {

    @BeforeAll
    void start() {
        GaleraCluster cluster = GaleraCluster.shared();
        cluster.awaitWhole();
        open(cluster, cluster.nodes().get(0), MariaDbDialect.galera());
    }
}
