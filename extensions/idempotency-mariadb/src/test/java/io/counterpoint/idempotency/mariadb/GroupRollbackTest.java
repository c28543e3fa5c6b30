package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.testing.GroupCluster;
import io.counterpoint.idempotency.testing.GroupNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A group of MySQL, whose members all take writes here, as a primary and what a group applies after a failover do. */
@Tag("group")
class GroupRollbackTest extends RolledBackCalls {

    private final GroupCluster cluster = GroupCluster.start();

    @BeforeAll
    void start() {
        GroupNode primary = cluster.primary();
        open(cluster, primary, MariaDbDialect.mySqlGroup());
        // The tables were checked before, and are not checked again.
        primary.execute("DO group_replication_switch_to_multi_primary_mode()");
    }

    @AfterAll
    void end() {
        cluster.close();
    }
}
