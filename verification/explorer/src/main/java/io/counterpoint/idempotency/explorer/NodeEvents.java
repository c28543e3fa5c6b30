package io.counterpoint.idempotency.explorer;

import java.util.List;

/**
 * What happens to the nodes of a database that has several.
 *
 * @param execution of which they are
 * @param callers who are connected to them
 * @param late what is on its way to them
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
