package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.Database;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/**
 * Moves a status column along the arrows of a {@link StateGraph}, each move one guarded update. Immutable and
 * thread-safe.
 *
 * <pre>{@code
 * GuardedTransitions<AppStatus> publication = GuardedTransitions.of(graph)
 *         .table("app").status("status").owner("publisher", "publishing_since")
 *         .onMoved((handle, moved) -> outbox.append(handle, event(moved)))
 *         .build();
 *
 * Ownership<AppStatus> held = publication.move(handle, appId, DRAFT, PUBLISHING).orElseThrow().ownership();
 * // ... other transactions, perhaps another process ...
 * publication.move(handle, held, PUBLISHED);
 * }</pre>
 *
 * <p>Promised: of the callers that race for a move, exactly one gets {@link Moved}, and every caller learns where the
 * thing is. A thing in an intermediate state moves on by its owner's token alone. The history row and everything that
 * {@link Builder#onMoved} writes commit with the move or not at all. Conditions: all that writes the status column comes
 * through here, in the caller's transaction. Not promised: that an owner who died finishes. Its things are found by
 * {@link #abandoned}, and {@link #resume} hands them to somebody else under a fresh token; a last step that the old owner
 * takes then changes nothing. Age is the database's time, and makes a thing eligible only; the token keeps it safe.
 *
 * @param <S> the states
 */
public final class GuardedTransitions<S extends Enum<S>> {

    private static final String DEFAULT_HISTORY = "transition_history";

    private final StateGraph<S> graph;
    private final String table;
    private final String id;
    private final String status;
    private final @Nullable String owner;
    private final @Nullable String since;
    private final String history;
    private final BiConsumer<? super Handle, ? super Moved<S>> onMoved;

    private GuardedTransitions(Builder<S> builder) {
        graph = builder.graph;
        table = builder.table;
        id = builder.id;
        status = builder.status;
        owner = builder.owner;
        since = builder.since;
        history = builder.history;
        onMoved = builder.onMoved;
    }

    /**
     * Begins with the graph.
     *
     * @param <S> the states
     * @param graph the states and arrows
     * @return a builder
     */
    public static <S extends Enum<S>> Builder<S> of(StateGraph<S> graph) {
        return new Builder<>(graph);
    }

    /**
     * The graph that moves follow.
     *
     * @return the graph
     */
    public StateGraph<S> graph() {
        return graph;
    }

    /**
     * Creates the history's table if it is missing: for demonstrations and tests. In production, copy
     * {@code io/counterpoint/idempotency/consistency/transition/postgresql.sql} (or {@code h2.sql}) into the migrations.
     *
     * @param handle a handle outside any transaction
     * @return this
     */
    public GuardedTransitions<S> createHistoryIfMissing(Handle handle) {
        Database.create(handle, GuardedTransitions.class::getResourceAsStream, DEFAULT_HISTORY, history);
        return this;
    }

    /**
     * Checks that the tables can be asked, and that no row has a status that the graph does not know: for the start of an
     * application.
     *
     * @param handle a handle
     * @return this
     * @throws IllegalStateException if a status is unknown; the message names it
     * @throws org.jdbi.v3.core.JdbiException if a table or column is missing
     */
    public GuardedTransitions<S> checkTable(Handle handle) {
        List<String> unknown = handle
                .createQuery("SELECT DISTINCT %s FROM %s".formatted(status, table))
                .map((row, context) -> String.valueOf(row.getString(1)))
                .stream()
                .filter(text -> graph.state(text).isEmpty())
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("Table " + table + " has rows in states that " + graph + " does not know: "
                    + unknown + ". Declare them, or repair the rows.");
        }
        handle.createQuery("SELECT count(*) FROM %s WHERE machine = :machine AND entity_id = ''".formatted(history))
                .bind("machine", graph.name())
                .mapTo(Long.class)
                .one();
        return this;
    }

    /**
     * Moves a thing that nobody owns. If the state it comes to is an intermediate one, the caller owns it from now.
     *
     * @param handle the caller's transaction
     * @param id the thing
     * @param from where it has to be
     * @param to where it goes
     * @return what came of it; true once the transaction commits
     * @throws IllegalArgumentException if there is no such arrow, or somebody owns {@code from}
     */
    public Transition<S> move(Handle handle, Object id, S from, S to) {
        requireArrow(from, to);
        if (graph.owned().contains(from)) {
            throw new IllegalArgumentException("A thing in " + from
                    + " has an owner: move it with what the move into it, abandoned or takeOver answered.");
        }
        return move(handle, new Guard<>(id, from, Optional.empty()), to, freshOwner(to));
    }

    /**
     * Moves a thing on, or back, that this caller owns: completion or compensation.
     *
     * @param handle the caller's transaction
     * @param held the thing, as the move into the state answered
     * @param to where it goes
     * @return what came of it; true once the transaction commits
     * @throws IllegalArgumentException if there is no such arrow
     */
    public Transition<S> move(Handle handle, Ownership<S> held, S to) {
        requireArrow(held.state(), to);
        return move(handle, Guard.of(held), to, freshOwner(to));
    }

    /**
     * Gives a thing a new owner, so that nothing the old one does moves it any more. Its age begins again.
     *
     * @param handle the caller's transaction
     * @param held the thing under its old owner
     * @return {@link Moved} with the new owner; {@link Transition.Refused} if the thing has moved or been taken over
     */
    public Transition<S> takeOver(Handle handle, Ownership<S> held) {
        return move(handle, Guard.of(held), held.state(), freshOwner(held.state()));
    }

    /**
     * Tells that the owner is alive: the thing's age begins again. For work that takes longer than the age at which a
     * thing counts as abandoned.
     *
     * @param handle the caller's transaction
     * @param held the thing
     * @return whether the caller still owns it; if not, stop
     */
    public boolean renew(Handle handle, Ownership<S> held) {
        return update(handle, Guard.of(held), held.state(), held.owner());
    }

    /**
     * The things that have been in an intermediate state for longer than they should, oldest first. Their owners are gone,
     * or slow.
     *
     * @param handle a handle
     * @param olderThan the age at which a thing counts as abandoned; longer than the work takes
     * @param limit the most to answer
     * @return the things; rows without an owner or a time are among them
     */
    public List<Ownership<S>> abandoned(Handle handle, Duration olderThan, int limit) {
        if (olderThan.isNegative() || limit < 1) {
            throw new IllegalArgumentException(
                    "Abandoned things are asked for by an age that is not negative and a limit"
                            + " of at least 1, found " + olderThan + " and " + limit + ".");
        }
        if (graph.owned().isEmpty()) {
            return List.of();
        }
        return handle.createQuery("""
                        SELECT %1$s, %2$s, %3$s FROM %4$s
                        WHERE %2$s IN (<states>) AND (%5$s IS NULL OR %5$s <= %6$s)
                        ORDER BY %5$s NULLS FIRST, %1$s FETCH FIRST %7$d ROWS ONLY
                        """.formatted(id, status, owner, table, since, Database.SECONDS_AGO, limit))
                .bindList(
                        "states",
                        graph.owned().stream().map(graph::text).sorted().toList())
                .bind("seconds", Database.seconds(olderThan))
                .map((row, context) -> new Ownership<>(
                        row.getObject(1), known(row.getString(2)), Optional.ofNullable(row.getObject(3, UUID.class))))
                .list();
    }

    /**
     * Takes over what is abandoned, each thing in a transaction of its own, and hands it on. A thing that fails holds up
     * no other: it has a new age, so it is found again behind the things that are older by then.
     *
     * @param transactions where to take over
     * @param olderThan as for {@link #abandoned}
     * @param limit the most to take over in this call
     * @param finish completes or compensates, in transactions that it begins itself
     * @return how many were taken over and handed on
     * @throws RuntimeException what {@code finish} threw first, after all others were tried; later ones are suppressed
     */
    public int resume(Transactions transactions, Duration olderThan, int limit, Consumer<? super Ownership<S>> finish) {
        List<RuntimeException> failures = new ArrayList<>();
        int resumed = resume(transactions, olderThan, limit, finish, (held, failure) -> failures.add(failure));
        if (!failures.isEmpty()) {
            RuntimeException first = failures.get(0);
            failures.stream().filter(failure -> failure != first).forEach(first::addSuppressed);
            throw first;
        }
        return resumed;
    }

    /**
     * The same, for a caller that hears of each failure.
     *
     * @param transactions where to take over
     * @param olderThan as for {@link #abandoned}
     * @param limit the most to take over in this call
     * @param finish completes or compensates, in transactions that it begins itself
     * @param onFailure is given each thing that could not be taken over or handed on, and why
     * @return how many were taken over and handed on
     */
    public int resume(
            Transactions transactions,
            Duration olderThan,
            int limit,
            Consumer<? super Ownership<S>> finish,
            BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        List<Ownership<S>> found = transactions.inTransaction(
                TransactionIsolationLevel.READ_COMMITTED, handle -> abandoned(handle, olderThan, limit));
        int resumed = 0;
        for (Ownership<S> held : found) {
            try {
                Transition<S> taken = transactions.inTransaction(
                        TransactionIsolationLevel.READ_COMMITTED, handle -> takeOver(handle, held));
                if (taken instanceof Moved<S> moved) {
                    finish.accept(moved.ownership());
                    resumed++;
                }
            } catch (RuntimeException failure) {
                onFailure.accept(held, failure);
            }
        }
        return resumed;
    }

    /** What a row has to be for a move. */
    private record Guard<S extends Enum<S>>(Object id, S from, Optional<UUID> owner) {
        static <S extends Enum<S>> Guard<S> of(Ownership<S> held) {
            return new Guard<>(held.id(), held.state(), held.owner());
        }

        boolean admits(Guard<S> actual) {
            return from == actual.from && owner.equals(actual.owner);
        }
    }

    private Transition<S> move(Handle handle, Guard<S> guard, S to, Optional<UUID> newOwner) {
        boolean updated = update(handle, guard, to, newOwner);
        if (!updated) {
            Optional<Guard<S>> actual = lock(handle, guard.id());
            if (actual.isEmpty()) {
                return new Transition.Missing<>();
            }
            // It came to where it should be between the two statements; now it is locked, and stays.
            if (!guard.admits(actual.get()) || !update(handle, guard, to, newOwner)) {
                S state = actual.get().from();
                return state == to && to != guard.from()
                        ? new Transition.AlreadyThere<>(to)
                        : new Transition.Refused<>(guard.from(), to, state);
            }
        }
        Moved<S> moved = new Moved<>(guard.id(), guard.from(), to, newOwner);
        record(handle, moved);
        onMoved.accept(handle, moved);
        return moved;
    }

    private boolean update(Handle handle, Guard<S> guard, S to, Optional<UUID> newOwner) {
        String owned = owner == null
                ? ""
                : ", %s = CAST(:new_owner AS uuid), %s = %s"
                        .formatted(owner, since, newOwner.isPresent() ? "CURRENT_TIMESTAMP" : "NULL");
        String mine = graph.owned().contains(guard.from())
                ? " AND %s IS NOT DISTINCT FROM CAST(:old_owner AS uuid)".formatted(owner)
                : "";
        Update update = handle.createUpdate("UPDATE %s SET %s = :to%s WHERE %s = :id AND %s = :from%s"
                        .formatted(table, status, owned, id, status, mine))
                .bind("to", graph.text(to))
                .bind("id", guard.id())
                .bind("from", graph.text(guard.from()));
        if (!owned.isEmpty()) {
            update.bind("new_owner", newOwner.orElse(null));
        }
        if (!mine.isEmpty()) {
            update.bind("old_owner", guard.owner().orElse(null));
        }
        return update.execute() == 1;
    }

    /** Where the thing is, for the rest of the transaction. */
    private Optional<Guard<S>> lock(Handle handle, Object thing) {
        return handle.createQuery("SELECT %s, %s FROM %s WHERE %s = :id FOR UPDATE"
                        .formatted(status, owner == null ? "NULL" : owner, table, id))
                .bind("id", thing)
                .map((row, context) -> {
                    S state = known(row.getString(1));
                    return new Guard<>(
                            thing,
                            state,
                            graph.owned().contains(state)
                                    ? Optional.ofNullable(row.getObject(2, UUID.class))
                                    : Optional.empty());
                })
                .findOne();
    }

    private void record(Handle handle, Moved<S> moved) {
        handle.createUpdate("""
                        INSERT INTO %s (machine, entity_id, from_state, to_state, owner, moved_at)
                        VALUES (:machine, :id, :from, :to, CAST(:owner AS uuid), CURRENT_TIMESTAMP)
                        """.formatted(history))
                .bind("machine", graph.name())
                .bind("id", moved.id().toString())
                .bind("from", graph.text(moved.from()))
                .bind("to", graph.text(moved.to()))
                .bind("owner", moved.owner().orElse(null))
                .execute();
    }

    private Optional<UUID> freshOwner(S to) {
        return graph.owned().contains(to) ? Optional.of(UUID.randomUUID()) : Optional.empty();
    }

    private S known(String text) {
        return graph.state(text)
                .orElseThrow(() -> new IllegalStateException("Table " + table + " has a row in the state '" + text
                        + "', which " + graph + " does not know."));
    }

    private void requireArrow(S from, S to) {
        if (!graph.allows(from, to)) {
            throw new IllegalArgumentException(graph + " has no arrow from " + from + " to " + to + ".");
        }
    }

    @Override
    public String toString() {
        return "GuardedTransitions[" + graph.name() + ", " + table + "." + status + "]";
    }

    /**
     * Says where the status is kept.
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
        private String history = DEFAULT_HISTORY;
        private BiConsumer<? super Handle, ? super Moved<S>> onMoved = (handle, moved) -> {};

        private Builder(StateGraph<S> graph) {
            this.graph = graph;
        }

        /**
         * Sets the domain's table.
         *
         * @param name its name, with or without a schema
         * @return this
         */
        public Builder<S> table(String name) {
            table = Database.name("a table", name);
            return this;
        }

        /**
         * Sets the column of the identifier. Default: {@code id}.
         *
         * @param column its name; the primary key
         * @return this
         */
        public Builder<S> id(String column) {
            id = Database.name("a column", column);
            return this;
        }

        /**
         * Sets the column of the status. Default: {@code status}.
         *
         * @param column its name; a text column
         * @return this
         */
        public Builder<S> status(String column) {
            status = Database.name("a column", column);
            return this;
        }

        /**
         * Sets the columns of the owner: needed if the graph has intermediate states.
         *
         * @param token a column of type {@code uuid} that may be null
         * @param time a column of type {@code timestamp with time zone} that may be null
         * @return this
         */
        public Builder<S> owner(String token, String time) {
            owner = Database.name("a column", token);
            since = Database.name("a column", time);
            return this;
        }

        /**
         * Sets the history's table. Default: {@code transition_history}; one serves any number of graphs.
         *
         * @param name its name, without a schema
         * @return this
         */
        public Builder<S> history(String name) {
            history = Database.nameWithoutSchema("a table", name);
            return this;
        }

        /**
         * Sets what else belongs to every move, such as an event. It runs in the transaction of the move; what it throws
         * undoes it.
         *
         * @param listener is given the transaction and the move; a takeover is a move from a state to itself
         * @return this
         */
        public Builder<S> onMoved(BiConsumer<? super Handle, ? super Moved<S>> listener) {
            onMoved = listener;
            return this;
        }

        /**
         * Builds.
         *
         * @return the transitions
         * @throws IllegalArgumentException if the table is not named, or the graph has intermediate states and the
         *     columns of the owner are not named
         */
        public GuardedTransitions<S> build() {
            if (table.isEmpty()) {
                throw new IllegalArgumentException(graph + " needs the table whose rows it moves.");
            }
            if (!graph.owned().isEmpty() && Objects.isNull(owner)) {
                throw new IllegalArgumentException(graph + " has intermediate states, "
                        + graph.owned().stream().map(graph::text).collect(Collectors.joining(", "))
                        + ": name the columns of their owner and its time.");
            }
            return new GuardedTransitions<>(this);
        }
    }
}
