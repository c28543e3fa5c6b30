package io.counterpoint.idempotency.testing;

import java.util.List;

/** Servers on this machine that hold the same data. */
public interface NodeCluster {

    /** Its nodes, always the same, whether they run or not. */
    List<? extends ClusterNode> nodes();

    /** Waits until every node is a member that has all of the state, and sees all the others. */
    void awaitWhole();

    /** Makes an empty database on all nodes. A database of that name that is there is deleted. */
    void createDatabase(String name);
}
