package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.Database;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/**
 * A table, or what can stand in its place, of PostgreSQL (13 and later) or H2 (2.2 and later) as one side of a
 * comparison, and as the target of its repair. Immutable and thread-safe.
 *
 * <p>Each page is one statement, {@code WHERE key > last ORDER BY key} with a limit: no transaction stays open, nothing
 * but the page is in memory, and it is fast as long as an index gives that order. Texts are ordered by {@code COLLATE
 * "C"} on PostgreSQL, so that both sides have one order; where the column has another collation, make an index on
 * {@code (key COLLATE "C")} first, or every page sorts the table. H2 orders texts as {@link String#compareTo} does:
 * keys with characters beyond U+FFFF may be found to be out of order there.
 *
 * <p>Names and expressions become part of SQL text: they are for constants of a program, never for what a user enters.
 *
 * @param <K> the type of the key
 */
public final class SqlTable<K> implements Source<K>, RepairTarget<K> {

    private final Jdbi jdbi;
    private final String table;
    private final String key;
    private final KeyOrder<K> order;
    private final Map<String, String> fields;
    private final Optional<String> condition;
    private final Optional<Version> version;
    private final Optional<BiConsumer<? super Handle, ? super Change<K>>> audit;

    private record Version(String column, String next) {}

    private SqlTable(
            Jdbi jdbi,
            String table,
            String key,
            KeyOrder<K> order,
            Map<String, String> fields,
            Optional<String> condition,
            Optional<Version> version,
            Optional<BiConsumer<? super Handle, ? super Change<K>>> audit) {
        this.jdbi = jdbi;
        this.table = table;
        this.key = key;
        this.order = order;
        this.fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        this.condition = condition;
        this.version = version;
        this.audit = audit;
    }

    /**
     * A table without fields; {@link #fields} and {@link #field} add them.
     *
     * @param <K> the type of the key
     * @param jdbi how to reach the database
     * @param table its name, or for reading alone a query in brackets with an alias
     * @param key the column that identifies a row, never null and indexed
     * @param order its type and order: {@link KeyOrder#longs()}, {@link KeyOrder#uuids()} or {@link KeyOrder#texts()}
     * @return the table
     */
    public static <K> SqlTable<K> of(Jdbi jdbi, String table, String key, KeyOrder<K> order) {
        return new SqlTable<>(jdbi, table, key, order, Map.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * This table with more fields, each in a column of its name.
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
     * This table with one more field.
     *
     * @param name what the comparison calls it, the same on both sides
     * @param column the column, or for reading alone an expression
     * @return a copy
     */
    public SqlTable<K> field(String name, String column) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        if (more.put(name, column) != null) {
            throw new IllegalArgumentException("The field " + name + " of table " + table + " is there already.");
        }
        return new SqlTable<>(jdbi, table, key, order, more, condition, version, audit);
    }

    /**
     * This table with only those rows that meet a condition. It is no part of a repair's conditions.
     *
     * @param sql such as {@code deleted_at IS NULL}
     * @return a copy
     */
    public SqlTable<K> where(String sql) {
        return new SqlTable<>(jdbi, table, key, order, fields, Optional.of(sql), version, audit);
    }

    /**
     * This table with a column that every write changes. It tells a row that was left alone from one that was changed and
     * changed back, and a repair writes on condition that it is as it was.
     *
     * @param column the column
     * @param next what a repair sets it to, such as {@code version + 1} or {@code CURRENT_TIMESTAMP}
     * @return a copy
     */
    public SqlTable<K> version(String column, String next) {
        return new SqlTable<>(
                jdbi, table, key, order, fields, condition, Optional.of(new Version(column, next)), audit);
    }

    /**
     * This table with something that is written together with each change of a repair, in its transaction.
     *
     * @param writer writes it; what it throws rolls the whole batch back
     * @return a copy
     */
    public SqlTable<K> audit(BiConsumer<? super Handle, ? super Change<K>> writer) {
        return new SqlTable<>(jdbi, table, key, order, fields, condition, version, Optional.of(writer));
    }

    @Override
    public KeyOrder<K> order() {
        return order;
    }

    @Override
    public List<Row<K>> page(Optional<K> after, int limit) {
        return jdbi.withHandle(handle -> {
            String ordered = ordered(handle);
            String where = after.isPresent() ? conditions(ordered + " > ?") : conditions();
            var query = handle.createQuery(
                    select() + where + " ORDER BY " + ordered + " FETCH FIRST " + limit + " ROWS ONLY");
            after.ifPresent(last -> query.bind(0, last));
            return query.scanResultSet((rows, context) -> read(rows.get()));
        });
    }

    @Override
    public List<Row<K>> find(Collection<K> keys) {
        if (keys.isEmpty()) {
            return List.of();
        }
        String places = String.join(", ", Collections.nCopies(keys.size(), "?"));
        return jdbi.withHandle(handle -> {
            var query = handle.createQuery(select() + conditions(key + " IN (" + places + ")"));
            int place = 0;
            for (K one : keys) {
                query.bind(place++, one);
            }
            return query.scanResultSet((rows, context) -> read(rows.get()));
        });
    }

    private String select() {
        StringBuilder sql = new StringBuilder("SELECT ").append(key);
        fields.values().forEach(column -> sql.append(", ").append(column));
        version.ifPresent(column -> sql.append(", ").append(column.column()));
        return sql.append(" FROM ").append(table).toString();
    }

    private String conditions(String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        condition.ifPresent(sql -> all.add("(" + sql + ")"));
        return all.isEmpty() ? "" : " WHERE " + String.join(" AND ", all);
    }

    private String ordered(Handle handle) {
        return order.equals(KeyOrder.texts()) && Database.of(handle) == Database.POSTGRESQL
                ? key + " COLLATE \"C\""
                : key;
    }

    private List<Row<K>> read(ResultSet rows) throws SQLException {
        List<Row<K>> read = new ArrayList<>();
        ResultSetMetaData types = rows.getMetaData();
        while (rows.next()) {
            int column = 1;
            K rowKey = key(value(rows, types, column++));
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            for (String field : fields.keySet()) {
                values.put(field, value(rows, types, column++));
            }
            read.add(new Row<>(rowKey, values, version.isPresent() ? value(rows, types, column) : null));
        }
        return read;
    }

    private K key(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("A row of " + table + " has no " + key + ": a key is never null.");
        }
        return order.parse(value.toString());
    }

    private static @Nullable Object value(ResultSet row, ResultSetMetaData types, int column) throws SQLException {
        // PostgreSQL's driver and H2 have one number each for types that differ, such as times with and without a zone.
        return switch (types.getColumnTypeName(column)) {
            case "timestamptz" -> row.getObject(column, OffsetDateTime.class);
            case "timetz" -> row.getObject(column, OffsetTime.class);
            case "UUID" -> row.getObject(column, UUID.class);
            default -> byNumber(row, types, column);
        };
    }

    private static @Nullable Object byNumber(ResultSet row, ResultSetMetaData types, int column) throws SQLException {
        return switch (types.getColumnType(column)) {
            case Types.TIMESTAMP -> row.getObject(column, LocalDateTime.class);
            case Types.TIMESTAMP_WITH_TIMEZONE -> row.getObject(column, OffsetDateTime.class);
            case Types.DATE -> row.getObject(column, LocalDate.class);
            case Types.TIME -> row.getObject(column, LocalTime.class);
            case Types.TIME_WITH_TIMEZONE -> row.getObject(column, OffsetTime.class);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> row.getBytes(column);
            default -> simple(row, column);
        };
    }

    private static @Nullable Object simple(ResultSet row, int column) throws SQLException {
        Object value = row.getObject(column);
        return value == null
                        || value instanceof Number
                        || value instanceof String
                        || value instanceof Boolean
                        || value instanceof UUID
                ? value
                : row.getString(column);
    }

    @Override
    public List<Change<K>> apply(List<Change<K>> changes) {
        return jdbi.inTransaction(handle -> {
            Writer writer = new Writer(handle);
            List<Change<K>> made = new ArrayList<>();
            for (Change<K> change : changes) {
                int rows = change.<Integer>fold(writer::insert, writer::update, writer::delete);
                if (rows > 0) {
                    audit.ifPresent(audited -> audited.accept(handle, change));
                    made.add(change);
                }
            }
            return made;
        });
    }

    /** The writes of one transaction. */
    private final class Writer {

        private final Handle handle;
        private final Map<String, String> places;

        Writer(Handle handle) {
            this.handle = handle;
            this.places = places(handle);
        }

        /** How a value of each field is written: PostgreSQL needs the type of a value that only looks like a text. */
        private Map<String, String> places(Handle on) {
            if (Database.of(on) == Database.H2) {
                Map<String, String> plain = new LinkedHashMap<>();
                fields.keySet().forEach(field -> plain.put(field, "?"));
                return plain;
            }
            return on.createQuery(select() + " WHERE FALSE").scanResultSet((rows, context) -> {
                ResultSetMetaData types = rows.get().getMetaData();
                Map<String, String> cast = new LinkedHashMap<>();
                int column = 2;
                for (String field : fields.keySet()) {
                    String type = types.getColumnTypeName(column++);
                    cast.put(field, "CAST(? AS " + writable(type) + ")");
                }
                return cast;
            });
        }

        private String writable(String type) {
            return switch (type) {
                case "smallserial" -> "int2";
                case "serial" -> "int4";
                case "bigserial" -> "int8";
                default -> type;
            };
        }

        int insert(Change.Insert<K> insert) {
            List<@Nullable Object> values = new ArrayList<>();
            StringBuilder columns = new StringBuilder(key);
            StringBuilder row = new StringBuilder("?");
            values.add(insert.key());
            fields.forEach((field, column) -> {
                columns.append(", ").append(Database.name("a column to repair", column));
                row.append(", ").append(places.get(field));
                values.add(insert.wanted().fields().get(field));
            });
            String into = "INSERT INTO " + table() + " (" + columns + ") ";
            if (Database.of(handle) == Database.POSTGRESQL) {
                return execute(into + "VALUES (" + row + ") ON CONFLICT DO NOTHING", values);
            }
            values.add(insert.key());
            return execute(
                    into + "SELECT " + row + " WHERE NOT EXISTS (SELECT 1 FROM " + table() + " WHERE " + key + " = ?)",
                    values);
        }

        int update(Change.Update<K> update) {
            List<@Nullable Object> values = new ArrayList<>();
            List<String> settings = new ArrayList<>();
            for (String field : update.fields()) {
                settings.add(Database.name("a column to repair", column(field)) + " = " + places.get(field));
                values.add(update.wanted().fields().get(field));
            }
            version.ifPresent(column -> settings.add(column.column() + " = " + column.next()));
            String sql = "UPDATE " + table() + " SET " + String.join(", ", settings);
            return execute(sql + asFound(update.found(), update.compared(), values), values);
        }

        int delete(Change.Delete<K> delete) {
            List<@Nullable Object> values = new ArrayList<>();
            return execute("DELETE FROM " + table() + asFound(delete.found(), delete.compared(), values), values);
        }

        private String asFound(Row<K> found, List<String> compared, List<@Nullable Object> values) {
            StringBuilder sql = new StringBuilder(" WHERE ").append(key).append(" = ?");
            values.add(found.key());
            for (String field : compared) {
                sql.append(" AND ")
                        .append(column(field))
                        .append(" IS NOT DISTINCT FROM ")
                        .append(places.get(field));
                values.add(found.fields().get(field));
            }
            version.ifPresent(column -> {
                sql.append(" AND ").append(column.column()).append(" IS NOT DISTINCT FROM ?");
                values.add(found.version());
            });
            return sql.toString();
        }

        private String table() {
            return Database.name("a table to repair", table);
        }

        private String column(String field) {
            return Objects.requireNonNull(
                    fields.get(field), () -> "The table " + SqlTable.this.table + " has no field " + field + ".");
        }

        private int execute(String sql, List<@Nullable Object> values) {
            try (Update update = handle.createUpdate(sql)) {
                for (int i = 0; i < values.size(); i++) {
                    bind(update, i, values.get(i));
                }
                return update.execute();
            }
        }
    }

    private static void bind(SqlStatement<?> statement, int place, @Nullable Object value) {
        if (value instanceof Instant moment) {
            statement.bind(place, moment.atOffset(ZoneOffset.UTC));
        } else if (value == null) {
            statement.bindNull(place, Types.NULL);
        } else {
            statement.bind(place, value);
        }
    }

    @Override
    public String toString() {
        return "SqlTable[" + table + " by " + key + "]";
    }
}
