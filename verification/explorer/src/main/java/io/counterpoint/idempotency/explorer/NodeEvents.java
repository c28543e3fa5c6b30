package io.counterpoint.idempotency.explorer;

import java.util.List;

/**
 * The events of a database with several nodes.
 *
 * @param execution the execution with the nodes
 * @param callers the callers that are connected to them
 * @param late what is in flight to them
 */
record NodeEvents(Execution execution, List<Caller> callers, List<Late> late) {

    void offer(ExplorerOptions options) {
        Cluster cluster = execution.database().cluster();
        if (cluster.nodes().size() == 1) {
            return;
        }
        for (Node node : cluster.nodes()) {
            if (cluster.isStale(node)) {
                options.event(() -> node + " applies what was committed elsewhere", () -> cluster.apply(node));
            }
            if (execution.budget().faults() > 0 && execution.budget().restarts() > 0) {
                options.event(() -> node + " dies, and comes back with what the others have", () -> restart(node));
            }
        }
    }

    private void restart(Node node) {
        execution.spendRestart();
        execution.database().restart(node);
        callers.forEach(caller -> caller.place().movesOnFrom(node));
        late.removeIf(message -> message.isInDatabase() && message.node() == node);
    }
}
