package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.GaleraCluster;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Nodes of Galera. Rows of the domain cannot be records there. */
@Tag("galera")
class GaleraRollbackTest extends RolledBackCalls {

    @BeforeAll
    void start() {
        GaleraCluster cluster = GaleraCluster.shared();
        cluster.awaitWhole();
        open(cluster, cluster.nodes().get(0), MariaDbDialect.galera());
    }

    @Override
    List<Shape> shapes() {
        return Arrays.stream(Shape.values())
                .filter(shape -> shape != Shape.RECORDED_IN_THE_DOMAIN)
                .toList();
    }
}
