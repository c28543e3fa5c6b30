package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementException;
import org.jspecify.annotations.Nullable;

/**
 * A table or view in PostgreSQL, H2, MariaDB or MySQL as one side of a comparison and as the target of its repair.
 * Immutable and thread-safe.
 *
 * <p>Each page is one statement, {@code WHERE key > last ORDER BY key} with a limit: no transaction stays open, only
 * the page is in memory, and it is fast as long as an index provides that order. On PostgreSQL, texts are ordered with
 * {@code COLLATE "C"}, so that both sides have the same order; if the column has a different collation, create an index
 * on {@code (key COLLATE "C")} first, or every page sorts the table. H2 orders texts like {@link String#compareTo}, so
 * keys with characters beyond U+FFFF may be reported as out of order. MariaDB and MySQL order by the column if its
 * collation is binary; otherwise a binary collation is added, and every page sorts the table. A repair is a transaction
 * of {@link Transactions}, which needs the dialect of the database on the class path.
 *
 * <p>Names and expressions become part of SQL text: use only constants of your program, never user input.
 *
 * @param <K> the type of the key
 */
public final class SqlTable<K> implements Source<K>, RepairTarget<K> {

    private static final Pattern BY_CODE_POINT = Pattern.compile("(utf8mb4|utf8mb3|ascii)_(nopad_|0900_)?bin");

    private final Place place;
    private final TableColumns columns;
    private final KeyOrder<K> order;
    private final Optional<String> condition;
    private final Optional<BiConsumer<? super Handle, ? super Change<K>>> audit;
    private final AtomicReference<@Nullable ColumnTypes> types = new AtomicReference<>();

    private SqlTable(
            Place place,
            TableColumns columns,
            KeyOrder<K> order,
            Optional<String> condition,
            Optional<BiConsumer<? super Handle, ? super Change<K>>> audit) {
        this.place = place;
        this.columns = columns;
        this.order = order;
        this.condition = condition;
        this.audit = audit;
    }

    /** The database, and how to read from and write to it. */
    private record Place(Jdbi jdbi, DatabaseProduct database, Transactions transactions) {
        static Place of(Jdbi jdbi) {
            return new Place(
                    jdbi, jdbi.withHandle(DatabaseProduct::of), Transactions.on(JdbiIdempotencyStore.on(jdbi)));
        }
    }

    /**
     * Returns a table without fields; add them with {@link #fields} and {@link #field}.
     *
     * @param <K> the type of the key
     * @param jdbi the database, whose product is detected immediately
     * @param table its name or, only for reading, a query in parentheses with an alias
     * @param key the column that identifies a row, not null and indexed
     * @param order its type and order: {@link KeyOrder#longs()}, {@link KeyOrder#uuids()} or {@link KeyOrder#texts()}
     * @return the table
     * @throws IllegalStateException if the database is not one of the four
     */
    public static <K> SqlTable<K> of(Jdbi jdbi, String table, String key, KeyOrder<K> order) {
        TableColumns columns = new TableColumns(table, key, Map.of(), Optional.empty());
        return new SqlTable<>(Place.of(jdbi), columns, order, Optional.empty(), Optional.empty());
    }

    /**
     * Returns this table with additional fields, each stored in the column of the same name.
     *
     * @param columns the names
     * @return a copy
     */
    public SqlTable<K> fields(String... columns) {
        SqlTable<K> copy = this;
        for (String column : columns) {
            copy = copy.field(column, column);
        }
        return copy;
    }

    /**
     * Returns this table with an additional field.
     *
     * @param name its name in the comparison, the same on both sides
     * @param column the column or, only for reading, an expression
     * @return a copy
     */
    public SqlTable<K> field(String name, String column) {
        return with(columns.with(name, new TableColumns.Field(column, column, "?", false)));
    }

    /**
     * Returns this table with an additional field whose stored form differs from the compared one. For example, the old
     * table has users where the new one has workspaces:
     *
     * <pre>{@code
     * table.field("workspace", "(SELECT m.workspace FROM member m WHERE m.user_id = app.user_id)",
     *         "user_id", "(SELECT m.user_id FROM member m WHERE m.workspace = ?)")
     * }</pre>
     *
     * @param name its name in the comparison, the same on both sides
     * @param read an expression that returns the value to compare
     * @param column the column that a repair sets
     * @param written an expression that a repair sets the column to, with one question mark for the value of the other
     *     side
     * @return a copy
     * @throws IllegalArgumentException if it does not contain exactly one question mark
     */
    public SqlTable<K> field(String name, String read, String column, String written) {
        if (written.indexOf('?') < 0 || written.indexOf('?') != written.lastIndexOf('?')) {
            throw new IllegalArgumentException("The field " + name + " needs exactly one question mark in the"
                    + " expression that a repair writes, quoted ones included: found " + written + ".");
        }
        return with(columns.with(name, new TableColumns.Field(read, column, written, true)));
    }

    private SqlTable<K> with(TableColumns changed) {
        return new SqlTable<>(place, changed, order, condition, audit);
    }

    /**
     * Returns this table restricted to rows that satisfy a condition. A repair writes no other rows: it changes and
     * deletes a row only if it satisfies the condition, and inserts only rows that satisfy it afterwards.
     *
     * @param sql the condition, such as {@code deleted_at IS NULL}
     * @return a copy
     */
    public SqlTable<K> where(String sql) {
        return new SqlTable<>(place, columns, order, Optional.of(sql), audit);
    }

    /**
     * Returns this table with a version column, which every write changes. It distinguishes an unchanged row from one
     * that was changed and changed back. A repair writes only if the version is unchanged.
     *
     * @param column the column
     * @param next the expression to which a repair sets it, such as {@code version + 1} or {@code CURRENT_TIMESTAMP}
     * @return a copy
     */
    public SqlTable<K> version(String column, String next) {
        return with(columns.with(new TableColumns.Version(column, next)));
    }

    /**
     * Returns this table with an audit, which is written in the same transaction as each change of a repair.
     *
     * @param writer writes the audit; an exception rolls back the whole batch
     * @return a copy
     */
    public SqlTable<K> audit(BiConsumer<? super Handle, ? super Change<K>> writer) {
        return new SqlTable<>(place, columns, order, condition, Optional.of(writer));
    }

    @Override
    public KeyOrder<K> order() {
        return order;
    }

    @Override
    public Collection<String> unlisted() {
        return place.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT * FROM " + columns.table() + " WHERE 1 = 0")
                        .scanResultSet((rows, context) -> {
                            ResultSetMetaData names = rows.get().getMetaData();
                            List<String> unlisted = new ArrayList<>();
                            for (int column = 1; column <= names.getColumnCount(); column++) {
                                if (!columns.lists(names.getColumnLabel(column))) {
                                    unlisted.add(names.getColumnLabel(column));
                                }
                            }
                            return unlisted;
                        }));
    }

    @Override
    public List<Row<K>> page(Optional<K> after, int limit) {
        return place.jdbi().withHandle(handle -> {
            String ordered = ordered(handle);
            String where = after.isPresent() ? conditions(ordered + " > ?") : conditions();
            String sql = columns.select(types(handle)) + where + " ORDER BY " + ordered + " LIMIT " + limit;
            return rows(handle, sql, after.stream().toList());
        });
    }

    @Override
    public List<Row<K>> find(Collection<K> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        String places = String.join(", ", Collections.nCopies(keys.size(), "?"));
        return place.jdbi().withHandle(handle -> {
            String sql = columns.select(types(handle)) + conditions(columns.key() + " IN (" + places + ")");
            return rows(handle, sql, keys);
        });
    }

    /** Read once: a table that is altered in the meantime would be compared incorrectly. */
    private ColumnTypes types(Handle handle) {
        ColumnTypes known = types.get();
        if (known == null) {
            known = ColumnTypes.of(place.database(), handle, columns);
            types.set(known);
        }
        return known;
    }

    /** A table that does not exist yet is checked by the run. */
    @Override
    public void requireComparable() {
        try {
            place.jdbi().useHandle(this::types);
        } catch (StatementException missing) {
            // Nothing is known about it yet.
        }
    }

    private List<Row<K>> rows(Handle handle, String sql, Collection<K> keys) {
        return place.database().inPlainSession(handle, () -> {
            try (Query query = handle.createQuery(sql)) {
                int at = 0;
                for (K key : keys) {
                    query.bind(at++, place.database().bound(key));
                }
                return query.scanResultSet((rows, context) -> read(rows.get(), types(handle)));
            }
        });
    }

    private String conditions(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        condition.ifPresent(sql -> all.add("(" + sql + ")"));
        return all.isEmpty() ? "" : " WHERE " + String.join(" AND ", all);
    }

    private String ordered(Handle handle) {
        return isInOrder(handle) ? columns.key() : place.database().byCodePoint(columns.key());
    }

    /**
     * An index of the key has the order of its column, so on MariaDB and MySQL that order is used if it is suitable.
     */
    private boolean isInOrder(Handle handle) {
        boolean texts = order.equals(KeyOrder.texts());
        return switch (place.database()) {
            case H2 -> true;
            case POSTGRESQL -> !texts;
            case MARIADB, MYSQL ->
                !texts
                        || handle.createQuery(
                                        "SELECT COLLATION(" + columns.key() + ") FROM " + columns.table() + " LIMIT 1")
                                .mapTo(String.class)
                                .findOne()
                                .filter(collation ->
                                        !BY_CODE_POINT.matcher(collation).matches())
                                .isEmpty();
        };
    }

    private List<Row<K>> read(ResultSet rows, ColumnTypes types) throws SQLException {
        List<Row<K>> read = new ArrayList<>();
        while (rows.next()) {
            String key = rows.getString(1);
            if (key == null) {
                throw new IllegalStateException(
                        "A row of " + columns.table() + " has no " + columns.key() + ", but a key must not be null.");
            }
            int version = 2 + types.fields().size();
            read.add(new Row<>(
                    key(key),
                    types.read(rows, 1),
                    types.version().isPresent() ? types.version().get().value(rows, version) : null));
        }
        return read;
    }

    /** A text that compares as a different one would be skipped or returned twice. */
    private K key(String text) {
        K key = order.parse(text);
        if (order.equals(KeyOrder.uuids()) && !order.print(key).equals(text)) {
            throw new IllegalStateException("A " + columns.key() + " of " + columns.table() + " is an identifier in a"
                    + " form other than " + key + ", such as upper case. Use lower(" + columns.key() + ") as the key,"
                    + " or compare as KeyOrder.texts().");
        }
        return key;
    }

    @Override
    public boolean writes(String field) {
        TableColumns.Field known = columns.fields().get(field);
        return known != null && known.stated();
    }

    /**
     * If a row is not as found, the transaction is rolled back together with anything that a trigger may have done
     * instead.
     */
    @Override
    public List<Change<K>> apply(List<Change<K>> changes) {
        List<Change<K>> left = new ArrayList<>(changes);
        while (!left.isEmpty()) {
            try {
                place.transactions()
                        .useTransaction(
                                Isolation.READ_COMMITTED,
                                handle -> place.database().inPlainSession(handle, () -> {
                                    apply(left, handle);
                                    return left;
                                }));
                break;
            } catch (NotAsFound refused) {
                left.remove(refused.place);
            }
        }
        return left;
    }

    private void apply(List<Change<K>> changes, Handle handle) {
        RowWriter<K> writer = new RowWriter<>(place.database(), handle, columns, types(handle), condition);
        for (int i = 0; i < changes.size(); i++) {
            Change<K> change = changes.get(i);
            if (!writer.write(change)) {
                throw new NotAsFound(i);
            }
            audit.ifPresent(audited -> audited.accept(handle, change));
        }
    }

    /** Thrown if a row has been written since it was found. */
    private static final class NotAsFound extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int place;

        NotAsFound(int place) {
            super("A row differs from the row that was found.", null, false, false);
            this.place = place;
        }
    }

    @Override
    public String toString() {
        return "SqlTable[" + columns.table() + " by " + columns.key() + "]";
    }
}
