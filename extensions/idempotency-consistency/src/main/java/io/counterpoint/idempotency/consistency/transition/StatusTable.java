package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.argument.Arguments;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** The domain's table that contains the status column, and the statements on it. */
final class StatusTable<S extends Enum<S>> {

    private final StateGraph<S> graph;
    private final String table;
    private final String id;
    private final String status;
    private final @Nullable String owner;
    private final @Nullable String since;
    private final @Nullable String updated;

    StatusTable(
            StateGraph<S> graph,
            String table,
            String id,
            String status,
            @Nullable String owner,
            @Nullable String since,
            @Nullable String updated) {
        if (table.isEmpty()) {
            throw new IllegalArgumentException(graph + " needs the table whose rows it changes.");
        }
        if (!graph.owned().isEmpty() && owner == null) {
            throw new IllegalArgumentException(graph + " has intermediate states, "
                    + graph.owned().stream().map(graph::text).collect(Collectors.joining(", "))
                    + ": declare the columns for the owner and the time.");
        }
        this.graph = graph;
        this.table = table;
        this.id = id;
        this.status = status;
        this.owner = owner;
        this.since = since;
        this.updated = updated;
    }

    /** The required state of a row for a move. */
    record Expected<S extends Enum<S>>(Object id, S from, Optional<UUID> owner) {
        static <S extends Enum<S>> Expected<S> of(Ownership<S> held) {
            return new Expected<>(held.id(), held.state(), held.owner());
        }

        boolean admits(Expected<S> actual) {
            return from == actual.from && owner.equals(actual.owner);
        }
    }

    Set<S> owned() {
        return graph.owned();
    }

    /** Checks everything that its statements use. */
    void check(Handle handle) {
        requireKnownStates(handle);
        TableFaults faults = new TableFaults(handle, table);
        faults.requireKey(id);
        faults.requireTransactions();
        if (owner != null) {
            faults.requireToken(owner);
        }
        Stream.of(since, updated).filter(Objects::nonNull).forEach(faults::requireTime);
        if (!faults.all().isEmpty()) {
            throw new IllegalStateException(
                    "Table " + table + " does not fit " + graph + ": " + String.join("; ", faults.all()) + ".");
        }
    }

    private void requireKnownStates(Handle handle) {
        List<String> unknown = handle
                .createQuery("SELECT DISTINCT %s FROM %s".formatted(status, table))
                .map((row, context) -> String.valueOf(row.getString(1)))
                .stream()
                .filter(text -> graph.state(text).isEmpty())
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("Table " + table + " has rows in states that " + graph + " does not"
                    + " define: " + unknown + ". Define them, or repair the rows.");
        }
    }

    /**
     * Moves the row if its state is as expected.
     *
     * @return whether it did
     */
    boolean update(
            Handle handle,
            Expected<S> expected,
            S to,
            Optional<UUID> newOwner,
            Map<String, ? extends @Nullable Object> columns) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        String owned = owner == null
                ? ""
                : ", %s = %s, %s = %s"
                        .formatted(
                                owner,
                                database.uuid(":new_owner"),
                                since,
                                newOwner.isPresent() ? database.now() : "NULL");
        String mine = owner != null && graph.owned().contains(expected.from())
                ? " AND " + database.same(owner, database.uuid(":old_owner"))
                : "";
        String time = updated == null ? "" : ", %s = %s".formatted(updated, database.now());
        String further = columns.keySet().stream()
                .map(column -> ", " + DatabaseProduct.nameWithoutSchema("a column", column) + " = :column_" + column)
                .collect(Collectors.joining());
        Update update = handle.createUpdate("UPDATE %s SET %s = :to%s%s%s WHERE %s = :id AND %s%s"
                        .formatted(table, status, owned, time, further, id, database.isExactly(status, ":from"), mine))
                .bind("to", graph.text(to))
                .bind("id", identifier(handle, expected.id()))
                .bind("from", graph.text(expected.from()));
        columns.forEach((column, value) -> update.bind("column_" + column, database.bound(value)));
        if (!owned.isEmpty()) {
            update.bind("new_owner", database.bound(newOwner.orElse(null)));
        }
        if (!mine.isEmpty()) {
            update.bind("old_owner", database.bound(expected.owner().orElse(null)));
        }
        return update.execute() == 1;
    }

    /** Jdbi does not know every type that a driver reads from a row, such as inet. */
    private static Object identifier(Handle handle, Object id) {
        Object bound = Objects.requireNonNull(DatabaseProduct.of(handle).bound(id));
        boolean isKnown = handle.getConfig(Arguments.class)
                .findFor(bound.getClass(), bound)
                .isPresent();
        return isKnown ? bound : (Argument) (position, statement, context) -> statement.setObject(position, bound);
    }

    /** Returns the row's state and locks the row for the rest of the transaction. */
    Optional<Expected<S>> lock(Handle handle, Object rowId) {
        return handle.createQuery("SELECT %s, %s FROM %s WHERE %s = :id FOR UPDATE"
                        .formatted(status, owner == null ? "NULL" : owner, table, id))
                .bind("id", identifier(handle, rowId))
                .map((row, context) -> {
                    S state = known(row.getString(1));
                    return new Expected<>(
                            rowId,
                            state,
                            graph.owned().contains(state)
                                    ? Optional.ofNullable(DatabaseProduct.uuid(row, 2))
                                    : Optional.empty());
                })
                .findOne();
    }

    /** Returns rows that have been in one of these intermediate states for the given time, oldest first. */
    List<Ownership<S>> abandoned(Handle handle, Set<S> states, Duration olderThan, int limit) {
        if (states.isEmpty()) {
            return List.of();
        }
        DatabaseProduct database = DatabaseProduct.of(handle);
        return handle.createQuery("""
                        SELECT %1$s, %2$s, %3$s FROM %4$s
                        WHERE %2$s IN (<states>) AND (%5$s IS NULL OR %5$s <= %6$s)
                        ORDER BY %7$s, %1$s LIMIT %8$d
                        """.formatted(
                                id,
                                status,
                                owner,
                                table,
                                since,
                                database.secondsAgo(),
                                database.nullsFirst(String.valueOf(since)),
                                limit))
                .bindList("states", states.stream().map(graph::text).sorted().toList())
                .bind("seconds", DatabaseProduct.seconds(olderThan))
                .map((row, context) -> new Ownership<>(
                        row.getObject(1), known(row.getString(2)), Optional.ofNullable(DatabaseProduct.uuid(row, 3))))
                .list();
    }

    private S known(String text) {
        return graph.state(text)
                .orElseThrow(() -> new IllegalStateException("Table " + table + " has a row in the state '" + text
                        + "', which " + graph + " does not define."));
    }

    @Override
    public String toString() {
        return table + "." + status;
    }
}
