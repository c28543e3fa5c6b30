package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.GaleraCluster;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A node of Galera. */
@Tag("galera")
class GaleraIdleTimeoutTest extends IdleTimeoutCalls {

    private static NodePools pools;

    @BeforeAll
    static void open() {
        GaleraCluster cluster = GaleraCluster.shared();
        pools = NodePools.onNew(cluster, "idle_timeout", "");
        StormEffects.createTable(Jdbi.create(pools.of(0)));
    }

    @AfterAll
    static void close() {
        pools.close();
    }

    @Override
    JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.builder(watch())
                .dialect(MariaDbDialect.galera())
                .table(pools.table())
                .build()
                .createTableIfMissing();
    }

    @Override
    Jdbi watch() {
        return Jdbi.create(pools.of(0));
    }

    @Override
    boolean sendsStepWithCommit() {
        return false;
    }

    @Override
    String timeout() {
        return "idle_transaction_timeout";
    }
}
