package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import org.jdbi.v3.core.Handle;

/** The table that contains a row for each move of a graph. */
final class MoveHistory<S extends Enum<S>> {

    static final String DEFAULT_TABLE = "transition_history";

    private final StateGraph<S> graph;
    private final String table;

    MoveHistory(StateGraph<S> graph, String table) {
        this.graph = graph;
        this.table = table;
    }

    void createIfMissing(Handle handle) {
        DatabaseProduct.create(handle, MoveHistory.class::getResourceAsStream, DEFAULT_TABLE, table);
    }

    /** Throws if the table or one of its columns is missing. */
    void check(Handle handle) {
        handle.createQuery("SELECT count(*) FROM %s WHERE machine = :machine AND entity_id = ''".formatted(table))
                .bind("machine", graph.name())
                .mapTo(Long.class)
                .one();
    }

    void record(Handle handle, Moved<S> moved) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        handle.createUpdate("""
                        INSERT INTO %s (machine, entity_id, from_state, to_state, owner, moved_at)
                        VALUES (:machine, :id, :from, :to, %s, %s)
                        """.formatted(table, database.uuid(":owner"), database.now()))
                .bind("machine", graph.name())
                .bind("id", moved.id().toString())
                .bind("from", graph.text(moved.from()))
                .bind("to", graph.text(moved.to()))
                .bind("owner", database.bound(moved.owner().orElse(null)))
                .execute();
    }
}
