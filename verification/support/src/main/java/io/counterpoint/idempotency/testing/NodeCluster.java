package io.counterpoint.idempotency.testing;

import java.util.List;

/** Servers on this machine with the same data. */
public interface NodeCluster {

    /** Its nodes, whether or not they are running. */
    List<? extends ClusterNode> nodes();

    /** Waits until every node is a synced member and sees all the others. */
    void awaitWhole();

    /** Creates an empty database on all nodes, replacing any database with that name. */
    void createDatabase(String name);
}
