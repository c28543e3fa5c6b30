package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.consistency.transition.StatusTable.Expected;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Moves a status column along the declared transitions of a {@link StateGraph}, each with one conditional update.
 * Immutable and thread-safe.
 *
 * <pre>{@code
 * StatusTransitions<AppStatus> publication = StatusTransitions.builder(graph)
 *         .table("app").status("status").owner("publisher", "publishing_since")
 *         .onMoved((handle, moved) -> outbox.append(handle, event(moved)))
 *         .build();
 *
 * Ownership<AppStatus> held = publication.move(handle, appId, DRAFT, PUBLISHING).orElseThrow().ownership();
 * // ... other transactions, perhaps another process ...
 * publication.move(handle, held, PUBLISHED);
 * }</pre>
 *
 * <p>Promised: of several callers that race for a move, exactly one gets {@link Moved}, and every caller gets the row's
 * state. Only its owner's token moves a row out of an intermediate state. The history row and everything that {@link
 * Builder#onMoved} writes commit with the move or not at all. Condition: all writes to the status column go through
 * this class, in the caller's transaction. Not promised: that an owner who died finishes. {@link #abandoned} finds its
 * rows, and {@link #resume} passes them to another caller under a new token; a late step of the old owner then changes
 * nothing. Age is measured by the database's clock and only makes a row eligible; the token ensures safety.
 *
 * @param <S> the states
 */
public final class StatusTransitions<S extends Enum<S>> extends Recovery<S> {

    private final StateGraph<S> graph;
    private final MoveHistory<S> history;
    private final BiConsumer<? super Handle, ? super Moved<S>> onMoved;

    private StatusTransitions(Builder<S> builder) {
        super(new StatusTable<>(
                builder.graph,
                builder.table,
                builder.id,
                builder.status,
                builder.owner,
                builder.since,
                builder.updated));
        graph = builder.graph;
        history = new MoveHistory<>(graph, builder.history);
        onMoved = builder.onMoved;
    }

    /**
     * Starts building transitions for a graph.
     *
     * @param <S> the states
     * @param graph the graph
     * @return a builder
     */
    public static <S extends Enum<S>> Builder<S> builder(StateGraph<S> graph) {
        return new Builder<>(graph);
    }

    /**
     * Returns the graph that moves follow.
     *
     * @return the graph
     */
    public StateGraph<S> graph() {
        return graph;
    }

    /**
     * Creates the history table if it is missing, for demos and tests. In production, copy {@code
     * io/counterpoint/idempotency/consistency/transition/postgresql.sql} (or {@code h2.sql}, {@code mariadb.sql},
     * {@code mysql.sql}) into your migrations.
     *
     * @param handle a handle outside any transaction
     * @return this
     */
    public StatusTransitions<S> createHistoryIfMissing(Handle handle) {
        history.createIfMissing(handle);
        return this;
    }

    /**
     * Checks, at application startup, all columns that moves use and their types, that the identifier is a key, that
     * the table's engine supports transactions, and that no row has a status that is unknown to the graph.
     *
     * @param handle a handle
     * @return this
     * @throws IllegalStateException if a status is unknown or the table is unsuitable; the message lists every problem
     * @throws org.jdbi.v3.core.JdbiException if a table or column is missing
     */
    public StatusTransitions<S> checkTable(Handle handle) {
        rows.check(handle);
        history.check(handle);
        return this;
    }

    /**
     * Moves a row without an owner. If the new state is an intermediate one, the caller owns the row from now on.
     *
     * @param handle the caller's transaction
     * @param id the row's identifier
     * @param from the required current state
     * @param to the target state
     * @return the outcome, which takes effect when the transaction commits
     * @throws IllegalArgumentException if there is no such arrow or {@code from} is an owned state
     */
    public Transition<S> move(Handle handle, Object id, S from, S to) {
        requireArrow(from, to);
        if (graph.owned().contains(from)) {
            throw new IllegalArgumentException("A row in " + from + " has an owner: move it with the ownership"
                    + " returned by the move into it, abandoned or takeOver.");
        }
        return move(handle, new Expected<>(id, from, Optional.empty()), to, freshOwner(to), Map.of());
    }

    /**
     * Moves a row that this caller owns forward or back, to complete or compensate.
     *
     * @param handle the caller's transaction
     * @param held the row, as returned by the move into the state
     * @param to the target state
     * @return the outcome, which takes effect when the transaction commits
     * @throws IllegalArgumentException if there is no such arrow
     */
    public Transition<S> move(Handle handle, Ownership<S> held, S to) {
        return move(handle, held, to, Map.of());
    }

    /**
     * Does the same, with additional columns of the row in the guarded update.
     *
     * @param handle the caller's transaction
     * @param held the row, as returned by the move into the state
     * @param to the target state
     * @param columns the new values by column name
     * @return the outcome, which takes effect when the transaction commits
     * @throws IllegalArgumentException if there is no such arrow or a name is not a plain identifier
     */
    public Transition<S> move(Handle handle, Ownership<S> held, S to, Map<String, ? extends @Nullable Object> columns) {
        requireArrow(held.state(), to);
        return move(handle, Expected.of(held), to, freshOwner(to), columns);
    }

    /**
     * Returns a passage through an intermediate state, with work in between.
     *
     * @param transactions runs the moves
     * @param from the state in which a row begins, and to which it returns if the work fails
     * @param via the intermediate state, which is committed before the work begins
     * @param to the final state
     * @param work the work to do in between, outside any transaction
     * @return the passage
     * @throws IllegalArgumentException if {@code via} is not an owned state, or an arrow into it, onward or back is
     *     missing
     */
    public Passage<S> passage(Transactions transactions, S from, S via, S to, Passage.Work<S> work) {
        return new Passage<>(
                this,
                transactions,
                Isolation.READ_COMMITTED,
                from,
                via,
                to,
                work,
                failed -> Passage.Completion.NOTHING);
    }

    @Override
    public Transition<S> takeOver(Handle handle, Ownership<S> held) {
        return move(handle, Expected.of(held), held.state(), freshOwner(held.state()), Map.of());
    }

    /**
     * Signals that the owner is alive and resets the row's age. Use it for work that takes longer than the age at which
     * a row counts as abandoned.
     *
     * @param handle the caller's transaction
     * @param held the row
     * @return whether the caller still owns it; if not, stop
     */
    public boolean renew(Handle handle, Ownership<S> held) {
        return rows.update(handle, Expected.of(held), held.state(), held.owner(), Map.of());
    }

    private Transition<S> move(
            Handle handle,
            Expected<S> expected,
            S to,
            Optional<UUID> newOwner,
            Map<String, ? extends @Nullable Object> columns) {
        boolean updated = rows.update(handle, expected, to, newOwner, columns);
        if (!updated) {
            Optional<Expected<S>> actual = rows.lock(handle, expected.id());
            if (actual.isEmpty()) {
                return new Transition.Missing<>();
            }
            // It reached the expected state between the two statements; now it is locked and stays there.
            if (!expected.admits(actual.get()) || !rows.update(handle, expected, to, newOwner, columns)) {
                S state = actual.get().from();
                return state == to && to != expected.from()
                        ? new Transition.AlreadyThere<>(to)
                        : new Transition.Refused<>(expected.from(), to, state);
            }
        }
        Moved<S> moved = new Moved<>(expected.id(), expected.from(), to, newOwner);
        history.record(handle, moved);
        onMoved.accept(handle, moved);
        return moved;
    }

    private Optional<UUID> freshOwner(S to) {
        return graph.owned().contains(to) ? Optional.of(UUID.randomUUID()) : Optional.empty();
    }

    private void requireArrow(S from, S to) {
        if (!graph.allows(from, to)) {
            throw new IllegalArgumentException(graph + " has no arrow from " + from + " to " + to + ".");
        }
    }

    @Override
    public String toString() {
        return "StatusTransitions[" + graph.name() + ", " + rows + "]";
    }

    /**
     * Configures where the status is stored.
     *
     * @param <S> the states
     */
    public static final class Builder<S extends Enum<S>> {
        private final StateGraph<S> graph;
        private String table = "";
        private String id = "id";
        private String status = "status";
        private @Nullable String owner;
        private @Nullable String since;
        private @Nullable String updated;
        private String history = MoveHistory.DEFAULT_TABLE;
        private BiConsumer<? super Handle, ? super Moved<S>> onMoved = (handle, moved) -> {};

        private Builder(StateGraph<S> graph) {
            this.graph = graph;
        }

        /**
         * Sets the domain table.
         *
         * @param name its name, with or without a schema
         * @return this
         */
        public Builder<S> table(String name) {
            table = DatabaseProduct.name("a table", name);
            return this;
        }

        /**
         * Sets the column of the identifier. Default: {@code id}.
         *
         * @param column the name of the primary key column
         * @return this
         */
        public Builder<S> id(String column) {
            id = DatabaseProduct.name("a column", column);
            return this;
        }

        /**
         * Sets the column of the status. Default: {@code status}.
         *
         * @param column the name of a text column
         * @return this
         */
        public Builder<S> status(String column) {
            status = DatabaseProduct.name("a column", column);
            return this;
        }

        /**
         * Sets the columns of the owner, which are required if the graph has intermediate states.
         *
         * @param token a nullable column of type {@code uuid}; on MariaDB and MySQL, {@code char(36)}
         * @param time a nullable column of type {@code timestamp with time zone}; on MariaDB and MySQL, {@code
         *     datetime(6)}, which is written in UTC
         * @return this
         */
        public Builder<S> owner(String token, String time) {
            owner = DatabaseProduct.name("a column", token);
            since = DatabaseProduct.name("a column", time);
            return this;
        }

        /**
         * Sets a column that is set to the database's time with every update of the status. Default: none; the history
         * contains all times.
         *
         * @param time a column of the same type as the time of {@link #owner}
         * @return this
         */
        public Builder<S> updated(String time) {
            updated = DatabaseProduct.name("a column", time);
            return this;
        }

        /**
         * Sets the history table. Default: {@code transition_history}. Any number of graphs can share one.
         *
         * @param name its name, without a schema
         * @return this
         */
        public Builder<S> history(String name) {
            history = DatabaseProduct.nameWithoutSchema("a table", name);
            return this;
        }

        /**
         * Sets an action that commits together with each move, such as appending an event. It runs in the transaction
         * of the move; an exception undoes the move.
         *
         * @param listener receives the transaction and the move; a takeover is a move from a state to itself
         * @return this
         */
        public Builder<S> onMoved(BiConsumer<? super Handle, ? super Moved<S>> listener) {
            onMoved = listener;
            return this;
        }

        /**
         * Builds the transitions.
         *
         * @return the transitions
         * @throws IllegalArgumentException if the table is not set, or the graph has intermediate states and the
         *     owner's columns are not set
         */
        public StatusTransitions<S> build() {
            return new StatusTransitions<>(this);
        }
    }
}
